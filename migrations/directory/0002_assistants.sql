CREATE TABLE assistants (
  assistant_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE assistant_versions (
  assistant_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  assistant TEXT NOT NULL,
  PRIMARY KEY (assistant_id, version)
) WITHOUT ROWID;
