-- What a window has accepted, as slots of time and how many in each (platform/rate/window.ts): as short after a million
-- requests as after a hundred. accepted_ms, one number for each request, is what the release before this one reads and writes.
alter table rate_windows add column accepted text not null default '';
alter table rate_windows alter column accepted_ms set default '{}';
