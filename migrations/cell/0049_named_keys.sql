-- What helps to tell several keys of a kind apart. When a key was last used is kept to the minute.
alter table api_keys
  add column name         text check (length(name) between 1 and 60),
  add column created_by   text check (length(created_by) between 1 and 300),
  add column last_used_at timestamptz;
