// Full-text search; the project is a field of it so that a search in one project does not rank the others.
CREATE FULLTEXT INDEX snapshot_text IF NOT EXISTS
FOR (s:Snapshot) ON EACH [s.title, s.summary, s.content, s.rationale, s.tags, s.project]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}
