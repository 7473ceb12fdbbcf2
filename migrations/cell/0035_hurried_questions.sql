-- Somebody waits for the answer about this movement: its operator called back, or a person looks at it (rails.md 4.2). Its next
-- question goes before others; asking clears it.
alter table rail_attempts add column hurried boolean not null default false;
