-- A live report is always stored. Beyond what a merchant is told of in a day, its event leaves later: at tell_at.
alter table disputes add column tell_at timestamptz;
alter table disputes add constraint only_live_is_told_later check (tell_at is null or (mode = 'live' and tell_at > opened_at));
-- The few that still wait, for the alert about them.
create index disputes_told_later on disputes (tell_at) where tell_at is not null;
-- The newest times at which a merchant is told, by mode: whether there is room for another is known by the one that many back.
create index disputes_told on disputes (merchant_id, mode, (coalesce(tell_at, opened_at)) desc);
