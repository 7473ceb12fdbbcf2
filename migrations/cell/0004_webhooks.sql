create table events (
  merchant_id bigint not null,
  id          text   not null,
  mode        mode   not null,
  type        text   not null,
  subject     text   not null,
  occurrence  integer not null default 0,
  body        text   not null,
  created_at  timestamptz not null,
  primary key (merchant_id, id)
);
create unique index events_once on events (merchant_id, subject, type, occurrence);
create trigger events_never_change before update or delete on events for each row execute function refuse_change();
create trigger events_never_empty before truncate on events for each statement execute function refuse_change();

-- The delivery row is the queue row. next_attempt_at is null while the merchant has no address (it waits), and when it is final.
create table deliveries (
  merchant_id        bigint not null,
  event_id           text   not null,
  mode               mode   not null,
  event              text   not null,
  status             text   not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  attempts           integer not null default 0 check (attempts between 0 and 8),
  next_attempt_at    timestamptz,
  lease_until        timestamptz,
  lease_token        text,
  -- A resend that was asked for while an attempt was under way: it follows that attempt, which then records nothing.
  resend_wanted      boolean not null default false,
  url                text,
  last_response_code integer,
  last_error         text,
  delivered_at       timestamptz,
  created_at         timestamptz not null,
  primary key (merchant_id, event_id),
  constraint sent_has_time  check ((status = 'sent') = (delivered_at is not null)),
  constraint final_is_quiet check (status = 'pending' or (next_attempt_at is null and lease_until is null)),
  constraint lease_is_whole check ((lease_until is null) = (lease_token is null)),
  constraint gave_up_after_eight check (status <> 'failed' or attempts = 8)
) with (fillfactor = 80);
create index deliveries_due     on deliveries (next_attempt_at) where next_attempt_at is not null;
create index deliveries_due_of  on deliveries (merchant_id, next_attempt_at) where next_attempt_at is not null;
create index deliveries_waiting on deliveries (merchant_id) where status = 'pending' and next_attempt_at is null;
create index deliveries_listed  on deliveries (merchant_id, mode, created_at, event_id);

-- How each receiver behaves: which lane its attempts run in and how many at once.
create table receivers (
  merchant_id     bigint primary key references merchants,
  lane            text not null default 'fast' check (lane in ('fast', 'slow')),
  good_in_a_row   integer not null default 0,
  last_success_at timestamptz
) with (fillfactor = 50);
