-- An operator looks for the number of a customer's SMS without knowing the merchant. The same index serves the merchant's own search.
create index charges_of_operator_number on charges (rail_transaction_id, merchant_id)
  where rail_transaction_id is not null and mode = 'live';
create index payouts_of_operator_number on payouts (rail_transaction_id, merchant_id)
  where rail_transaction_id is not null and mode = 'live';
create index top_ups_of_operator_number on top_ups (rail_transaction_id, merchant_id) where rail_transaction_id is not null;
drop index charges_by_operator_number;
drop index payouts_by_operator_number;

-- Payments that an operator wants to look at again, with what was found in the end. One open mark a payment.
create table payment_marks (
  merchant_id bigint not null references merchants,
  id          text   not null check (id ~ '^pmk_[a-z0-9]{21}$'),
  subject     text   not null,
  mode        mode   not null,
  says        text   not null check (length(says) between 1 and 1000),
  marked_by   text   not null,
  marked_at   timestamptz not null,
  done_says   text check (length(done_says) between 1 and 1000),
  done_by     text,
  done_at     timestamptz,
  primary key (merchant_id, id),
  constraint payment_marks_done check ((done_at is null) = (done_says is null) and (done_at is null) = (done_by is null)),
  constraint payment_marks_done_later check (done_at >= marked_at)
);
create unique index payment_marks_open_once on payment_marks (merchant_id, subject) where done_at is null;
create index payment_marks_open on payment_marks (marked_at, id) where done_at is null;
create trigger payment_marks_done_never_change before update on payment_marks for each row when (old.done_at is not null)
  execute function refuse_change();
create trigger payment_marks_never_go before delete on payment_marks for each row execute function refuse_change();
