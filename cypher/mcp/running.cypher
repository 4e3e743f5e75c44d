// The transactions that carry a tag in their metadata.
// params: tag: STRING
// returns: name
SHOW TRANSACTIONS YIELD transactionId, metaData
WHERE metaData.wakegraph = $tag
RETURN transactionId AS name
