-- A merchant's order to send what is available to its own verified number, by itself. Staff approve it once, with a limit for a day: within
-- that each withdrawal of it is approved in the commit that makes it.
create table standing_orders (
  merchant_id    bigint not null references merchants,
  id             text   not null check (id ~ '^sto_[a-z0-9]{21}$'),
  state          text   not null check (state in ('waiting', 'approved', 'refused', 'stopped')),
  rhythm         text   not null check (rhythm in ('daily', 'weekly', 'above')),
  -- Sunday is 0.
  weekday        int    check (weekday between 0 and 6),
  hour           int    check (hour between 0 and 23),
  -- What stays available.
  keep_back      bigint not null check (keep_back between 0 and 9007199254740991),
  least          bigint not null check (least > 0),
  -- The most that the merchant lets it send in a day.
  day_limit      bigint not null check (day_limit <= 9007199254740991),
  -- Counts what was asked of staff: each change of the order, and each other number.
  revision       int    not null check (revision > 0),
  waits_for      text   check (waits_for in ('new', 'change', 'number')),
  waits_since    timestamptz,
  approved_at    timestamptz,
  -- The most that staff let it send in a day without them, and where to.
  approved_limit bigint,
  approved_phone text,
  -- Why staff refused or stopped it.
  note           text   check (length(note) between 1 and 500),
  -- The time of its next run, which makes at most one withdrawal, and when it is looked at next: later than that where it stands still.
  due_at         timestamptz,
  try_at         timestamptz,
  last_at        timestamptz,
  last_found     text   check (last_found in ('sent', 'asked', 'too-little', 'day-limit')),
  -- Why it stands still, and whether the owners have heard of it.
  still_code     text   check (length(still_code) between 1 and 60),
  still_says     text   check (length(still_says) between 1 and 300),
  still_since    timestamptz,
  still_told     boolean not null default true,
  set_at         timestamptz not null,
  stopped_at     timestamptz,
  primary key (merchant_id, id),
  constraint standing_orders_rhythm check ((rhythm = 'weekly') = (weekday is not null) and (rhythm = 'above') = (hour is null)),
  constraint standing_orders_limits check (least <= day_limit),
  constraint standing_orders_waiting check ((state = 'waiting') = (waits_since is not null) and (state = 'waiting') = (waits_for is not null)),
  constraint standing_orders_approved check ((state = 'approved') = (approved_at is not null) and (state = 'approved') = (approved_limit is not null)
    and (state = 'approved') = (approved_phone is not null) and (state = 'approved') = (due_at is not null)
    and (state = 'approved') = (try_at is not null)),
  constraint standing_orders_approved_limit check (approved_limit between 1 and day_limit),
  constraint standing_orders_stopped check ((state = 'stopped') = (stopped_at is not null)),
  constraint standing_orders_last check ((last_at is null) = (last_found is null)),
  constraint standing_orders_still check ((still_code is null) = (still_says is null) and (still_code is null) = (still_since is null)
    and (still_code is null or state = 'approved') and (still_told or still_code is not null)),
  constraint standing_orders_tried check (try_at >= due_at)
);
create unique index standing_orders_one on standing_orders (merchant_id) where state <> 'stopped';
create index standing_orders_due on standing_orders (try_at) where try_at is not null;
create index standing_orders_waiting on standing_orders (waits_since, id) where waits_since is not null;
create index standing_orders_running on standing_orders (approved_at, id) where approved_at is not null;
create index standing_orders_untold on standing_orders (merchant_id, id) where not still_told;
create trigger standing_orders_never_go before delete on standing_orders for each row execute function refuse_change();
create trigger standing_orders_move_forward before update of state on standing_orders for each row
  when (old.state <> new.state and (old.state, new.state) not in (('waiting', 'approved'), ('waiting', 'refused'), ('waiting', 'stopped'),
    ('approved', 'waiting'), ('approved', 'stopped'), ('refused', 'waiting'), ('refused', 'stopped')))
  execute function refuse_change();
-- What staff have approved stays as they saw it: another order, limit or number waits for them again.
create trigger standing_orders_keep_terms before update on standing_orders for each row
  when (old.state = 'approved' and new.state = 'approved'
    and (old.rhythm, old.weekday, old.hour, old.keep_back, old.least, old.day_limit, old.revision, old.approved_at, old.approved_limit, old.approved_phone)
      is distinct from (new.rhythm, new.weekday, new.hour, new.keep_back, new.least, new.day_limit, new.revision, new.approved_at, new.approved_limit, new.approved_phone))
  execute function refuse_change();

-- The runs that made a withdrawal: one for each time at which the order was due.
create table standing_order_runs (
  merchant_id   bigint  not null,
  order_id      text    not null,
  due_at        timestamptz not null,
  withdrawal_id text    not null,
  ran_at        timestamptz not null,
  -- The day in Kampala.
  day           date    not null,
  revision      int     not null,
  amount        bigint  not null check (amount > 0),
  phone         text    not null,
  -- Approved by the order itself; else it waits for staff like any withdrawal.
  by_itself     boolean not null,
  -- What was sent by itself on this day with this run, and the limit that staff had approved.
  day_total     bigint  not null check (day_total >= 0),
  day_limit     bigint  not null check (day_limit > 0),
  primary key (merchant_id, order_id, due_at),
  constraint standing_order_runs_of foreign key (merchant_id, order_id) references standing_orders (merchant_id, id),
  constraint standing_order_runs_day check (day = ((ran_at at time zone 'UTC') + interval '3 hours')::date),
  constraint standing_order_runs_limit check (case when by_itself then day_total >= amount and day_total <= day_limit else day_total + amount > day_limit end)
);
create unique index standing_order_runs_withdrawal on standing_order_runs (merchant_id, withdrawal_id);
create index standing_order_runs_of_day on standing_order_runs (merchant_id, day);
create trigger standing_order_runs_never_change before update or delete on standing_order_runs for each row execute function refuse_change();
create trigger standing_order_runs_never_empty before truncate on standing_order_runs for each statement execute function refuse_change();

create index audit_of_standing_orders on audit (merchant_id, subject, id) where action in ('standing-order.set', 'standing-order.decide', 'standing-order.run');
