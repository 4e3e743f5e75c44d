// Names of the functions that an installed plug-in brings.
// returns: name
SHOW USER DEFINED FUNCTIONS YIELD name
RETURN name ORDER BY name
