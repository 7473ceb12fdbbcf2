-- When a cell was added: processes that run take it up within seconds, and no merchant is made in it before. Null for the first one.
alter table cells add column added_at timestamptz;

-- How many merchants a cell has, counted up to a limit when one is made.
create index merchants_of_cell on merchants (cell);
