// Ends one transaction.
// params: name: STRING
// returns: transactionId, username, message
TERMINATE TRANSACTIONS $name
