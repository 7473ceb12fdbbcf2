-- Printed by `npm run docs` from a migrated database, to be read; migrations/ is what is applied.

-- Schema directory: what is found without knowing the merchant

CREATE OR REPLACE FUNCTION queue_for_seal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'directory'
AS $function$
begin
  insert into audit_to_seal (audit_id) select id from added;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op);
end $function$;

create unlogged table address_windows (
  what text not null,
  address bytea not null,
  accepted text not null default ''::text,
  counts_until timestamp with time zone not null,
  constraint address_windows_pkey PRIMARY KEY (what, address),
  constraint address_windows_address_check CHECK (length(address) = 32)
) with (fillfactor=50);
CREATE INDEX address_windows_left ON address_windows USING btree (counts_until);

create table alert_test (
  only_row boolean not null default true,
  address_hash bytea not null,
  code_hash bytea not null,
  sent_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  constraint alert_test_pkey PRIMARY KEY (only_row),
  constraint alert_test_address_hash_check CHECK (length(address_hash) = 32),
  constraint alert_test_code_hash_check CHECK (length(code_hash) = 32),
  constraint alert_test_only_row_check CHECK (only_row)
);

create table alerts (
  id bigint generated always as identity not null,
  kind text not null,
  subject text not null,
  place text not null,
  says text not null,
  size bigint not null,
  since timestamp with time zone not null,
  opened_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  times integer not null default 1,
  closed_at timestamp with time zone,
  to_tell text,
  telling text,
  telling_until timestamp with time zone,
  told_at timestamp with time zone,
  told_size bigint,
  constraint alerts_pkey PRIMARY KEY (id),
  constraint alerts_check CHECK (closed_at IS NULL OR closed_at >= opened_at),
  constraint alerts_check1 CHECK ((telling IS NULL) = (telling_until IS NULL)),
  constraint alerts_says_check CHECK (length(says) <= 2000),
  constraint alerts_size_check CHECK (size >= 0),
  constraint alerts_to_tell_check CHECK (to_tell = ANY (ARRAY['opened'::text, 'worse'::text, 'closed'::text]))
);
CREATE UNIQUE INDEX alerts_open_once ON alerts USING btree (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX alerts_to_tell ON alerts USING btree (kind) WHERE to_tell IS NOT NULL;
CREATE INDEX alerts_told ON alerts USING btree (kind, told_at) WHERE told_at IS NOT NULL;

create table api_keys (
  hash bytea not null,
  merchant_id bigint not null,
  id text not null,
  kind text not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  closed_in_cell boolean not null default false,
  constraint api_keys_pkey PRIMARY KEY (hash),
  constraint api_keys_id_key UNIQUE (id),
  constraint api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint api_keys_hash_check CHECK (length(hash) = 32),
  constraint api_keys_kind_check CHECK (kind = ANY (ARRAY['test'::text, 'live'::text, 'test_collections'::text, 'live_collections'::text]))
);
CREATE INDEX api_keys_of_merchant ON api_keys USING btree (merchant_id, kind) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_to_close ON api_keys USING btree (merchant_id) WHERE revoked_at IS NOT NULL AND NOT closed_in_cell;

create table audit (
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  actor text not null,
  action text not null,
  merchant_id bigint,
  details jsonb,
  actor_kind text not null default 'command'::text,
  origin text not null default ''::text,
  request_id text,
  mode text,
  subject text,
  before jsonb,
  after jsonb,
  constraint audit_pkey PRIMARY KEY (id),
  constraint audit_actor_kind_check CHECK (actor_kind = ANY (ARRAY['key'::text, 'person'::text, 'operator'::text, 'command'::text, 'service'::text, 'public'::text])),
  constraint audit_mode_check CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);
CREATE TRIGGER audit_never_changes BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_never_empty BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_waits_for_seal AFTER INSERT ON audit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_for_seal();

create table audit_seals (
  number bigint not null,
  audit_id bigint not null,
  hash bytea not null,
  constraint audit_seals_pkey PRIMARY KEY (number),
  constraint audit_seals_audit_id_key UNIQUE (audit_id),
  constraint audit_seals_hash_check CHECK (length(hash) = 32),
  constraint audit_seals_number_check CHECK (number > 0)
);
CREATE TRIGGER seals_never_change BEFORE DELETE OR UPDATE ON audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER seals_never_empty BEFORE TRUNCATE ON audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_to_seal (
  audit_id bigint not null,
  constraint audit_to_seal_pkey PRIMARY KEY (audit_id)
);

create table cells (
  name text not null,
  constraint cells_pkey PRIMARY KEY (name),
  constraint cells_name_check CHECK (name ~ '^cell_[0-9]+$'::text)
);

create table command_keys (
  key text not null,
  command text not null,
  fingerprint bytea not null,
  answer bytea,
  created_at timestamp with time zone not null,
  constraint command_keys_pkey PRIMARY KEY (key),
  constraint command_keys_fingerprint_check CHECK (length(fingerprint) = 32),
  constraint command_keys_key_check CHECK (length(key) >= 1 AND length(key) <= 255)
);
CREATE INDEX command_keys_answered ON command_keys USING btree (created_at) WHERE answer IS NOT NULL;

create table lasting_keys (
  purpose text not null,
  ciphertext bytea not null,
  constraint lasting_keys_pkey PRIMARY KEY (purpose)
);

create table master_key_check (
  only_row boolean not null default true,
  ciphertext bytea not null,
  constraint master_key_check_pkey PRIMARY KEY (only_row),
  constraint master_key_check_only_row_check CHECK (only_row)
);

create table merchants (
  id bigint generated always as identity not null,
  public_id text not null,
  tag text not null,
  handle text not null,
  cell text not null,
  created_at timestamp with time zone not null,
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_handle_key UNIQUE (handle),
  constraint merchants_public_id_key UNIQUE (public_id),
  constraint merchants_tag_key UNIQUE (tag),
  constraint merchants_cell_fkey FOREIGN KEY (cell) REFERENCES cells(name),
  constraint merchants_handle_check CHECK (handle ~ '^[a-z0-9-]{3,30}$'::text),
  constraint merchants_public_id_check CHECK (public_id ~ '^mer_[a-z0-9]{21}$'::text),
  constraint merchants_tag_check CHECK (tag ~ '^[a-z0-9]{5}$'::text)
);

create table payout_freeze (
  only_row boolean not null default true,
  frozen boolean not null,
  reason text,
  changed_at timestamp with time zone,
  constraint payout_freeze_pkey PRIMARY KEY (only_row),
  constraint payout_freeze_check CHECK (NOT frozen OR reason IS NOT NULL),
  constraint payout_freeze_only_row_check CHECK (only_row)
);

create table revision (
  only_row boolean not null default true,
  number bigint not null,
  constraint revision_pkey PRIMARY KEY (only_row),
  constraint revision_only_row_check CHECK (only_row)
);

-- Schema cell_0: a cell: merchants and their money

create type mode as enum ('test', 'live');

CREATE OR REPLACE FUNCTION keep_installation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Only the proof that the one post so far was not taken undoes that it was sent.
  if tg_op = 'UPDATE' and old.first_sent_at is not null
    and (new.first_sent_at is distinct from old.first_sent_at or new.installation <> old.installation)
    and not (new.first_sent_at is null and new.installation = old.installation and old.reposts = 0
      and old.state in ('sending', 'in_doubt') and new.state = 'not_sent') then
    raise exception 'attempt % keeps the installation to which it was sent', old.id
      using errcode = 'check_violation', constraint = 'attempt_keeps_its_installation';
  end if;
  if new.state = 'sending' and new.first_sent_at is null then
    new.first_sent_at := new.sending_since;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION lock_merchants()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  lock table merchants in exclusive mode;
end $function$;

CREATE OR REPLACE FUNCTION lock_payout_stops()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  lock table payout_stops in exclusive mode;
end $function$;

CREATE OR REPLACE FUNCTION mark_payout_queued()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update payouts set in_queue = new.state in ('queued', 'not_sent') and new.first_sent_at is null
  where merchant_id = new.merchant_id and id = new.subject;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION queue_for_seal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'cell_0'
AS $function$
begin
  insert into audit_to_seal (audit_id) select id from added;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op);
end $function$;

CREATE OR REPLACE FUNCTION refuse_claim_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'dispense claim % may not move from % to %', old.id, old.state, new.state;
end $function$;

CREATE OR REPLACE FUNCTION refuse_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% % may not move from % to %', tg_table_name, old.id, old.status, new.status;
end $function$;

create table api_keys (
  merchant_id bigint not null,
  id text not null,
  kind text not null,
  last4 text not null,
  ciphertext bytea not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (merchant_id, id),
  constraint api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint api_keys_kind_check CHECK (kind = ANY (ARRAY['test'::text, 'live'::text, 'test_collections'::text, 'live_collections'::text]))
);

create table audit (
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  actor_kind text not null,
  actor text not null,
  origin text not null,
  request_id text,
  action text not null,
  merchant_id bigint,
  mode text,
  subject text,
  before jsonb,
  after jsonb,
  constraint audit_pkey PRIMARY KEY (id),
  constraint audit_actor_kind_check CHECK (actor_kind = ANY (ARRAY['key'::text, 'person'::text, 'operator'::text, 'command'::text, 'service'::text, 'public'::text])),
  constraint audit_mode_check CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);
CREATE INDEX audit_of_merchant ON audit USING btree (merchant_id, id) WHERE merchant_id IS NOT NULL;
CREATE TRIGGER audit_never_changes BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_never_empty BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_waits_for_seal AFTER INSERT ON audit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_for_seal();

create table audit_seals (
  number bigint not null,
  audit_id bigint not null,
  hash bytea not null,
  constraint audit_seals_pkey PRIMARY KEY (number),
  constraint audit_seals_audit_id_key UNIQUE (audit_id),
  constraint audit_seals_hash_check CHECK (length(hash) = 32),
  constraint audit_seals_number_check CHECK (number > 0)
);
CREATE TRIGGER seals_never_change BEFORE DELETE OR UPDATE ON audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER seals_never_empty BEFORE TRUNCATE ON audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_to_seal (
  audit_id bigint not null,
  constraint audit_to_seal_pkey PRIMARY KEY (audit_id)
);

create table bulk_batches (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  key text not null,
  items jsonb not null,
  total integer not null,
  done integer not null default 0,
  accepted integer not null default 0,
  lease_until timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint bulk_batches_pkey PRIMARY KEY (merchant_id, id),
  constraint bulk_batches_total_check CHECK (total >= 1 AND total <= 1000),
  constraint counts_fit CHECK (accepted >= 0 AND done >= accepted AND done <= total),
  constraint leased_while_open CHECK ((done < total) = (lease_until IS NOT NULL))
) with (fillfactor=50);
CREATE INDEX bulk_batches_open ON bulk_batches USING btree (merchant_id, mode, lease_until) WHERE lease_until IS NOT NULL;

create table bulk_items (
  merchant_id bigint not null,
  batch_id text not null,
  item_index integer not null,
  reference text not null,
  payout_id text,
  replayed boolean not null default false,
  status text,
  first_accepted_at timestamp with time zone,
  error text,
  code text,
  retryable boolean not null default false,
  constraint bulk_items_pkey PRIMARY KEY (merchant_id, batch_id, item_index),
  constraint bulk_items_item_index_check CHECK (item_index >= 0 AND item_index <= 999),
  constraint paid_or_refused CHECK ((payout_id IS NULL) = (error IS NOT NULL) AND (error IS NULL) = (code IS NULL) AND (payout_id IS NULL) = (status IS NULL)),
  constraint replay_has_time CHECK (replayed = (first_accepted_at IS NOT NULL) AND (payout_id IS NOT NULL OR NOT replayed))
);

create table bulk_references (
  merchant_id bigint not null,
  mode mode not null,
  reference text not null,
  payout_id text not null,
  constraint bulk_references_pkey PRIMARY KEY (merchant_id, mode, reference),
  constraint bulk_references_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 260)
);

create table charge_shares (
  merchant_id bigint not null,
  charge_id text not null,
  share_index integer not null,
  mode mode not null,
  subaccount_id text not null,
  amount bigint not null,
  reversed boolean not null default false,
  hold_until timestamp with time zone,
  settled_at timestamp with time zone,
  settlement_id text,
  constraint charge_shares_pkey PRIMARY KEY (merchant_id, charge_id, share_index),
  constraint one_share_each UNIQUE (merchant_id, charge_id, subaccount_id),
  constraint charge_shares_amount_check CHECK (amount > 0),
  constraint charge_shares_share_index_check CHECK (share_index >= 0 AND share_index <= 19),
  constraint reversed_is_never_paid CHECK (NOT reversed OR hold_until IS NULL),
  constraint settled_after_hold CHECK (settled_at IS NULL OR hold_until IS NOT NULL AND (mode = 'test'::mode OR settled_at >= hold_until)),
  constraint settled_by_record CHECK ((settled_at IS NULL) = (settlement_id IS NULL))
);
CREATE INDEX charge_shares_held ON charge_shares USING btree (merchant_id, mode, hold_until) WHERE hold_until IS NOT NULL AND settled_at IS NULL;

create table charges (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  status text not null,
  amount bigint not null,
  fee bigint not null,
  gift_card_amount bigint not null default 0,
  channel text not null,
  phone text,
  phone9 text,
  email text,
  reference text,
  rail_reference text,
  rail_transaction_id text,
  failure_reason text,
  payment_link_id text,
  refund_id text,
  published boolean not null default true,
  voided_at timestamp with time zone,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  refunded_at timestamp with time zone,
  follow_at timestamp with time zone,
  hold_until timestamp with time zone,
  settled_at timestamp with time zone,
  settlement_id text,
  shares bigint,
  pays_once boolean not null default false,
  constraint charges_pkey PRIMARY KEY (merchant_id, id),
  constraint charge_is_of_its_link FOREIGN KEY (merchant_id, payment_link_id, mode) REFERENCES payment_links(merchant_id, id, mode) NOT VALID,
  constraint charges_amount_check CHECK (amount >= 1 AND amount <= '9007199254740991'::bigint),
  constraint charges_channel_check CHECK (channel = ANY (ARRAY['op1_momo'::text, 'op2_money'::text, 'card'::text])),
  constraint charges_check CHECK (gift_card_amount >= 0 AND gift_card_amount <= amount),
  constraint charges_failure_reason_check CHECK (failure_reason = ANY (ARRAY['insufficient_funds'::text, 'user_cancelled'::text, 'timeout'::text, 'rail_rejected'::text])),
  constraint charges_status_check CHECK (status = ANY (ARRAY['pending'::text, 'authorized'::text, 'succeeded'::text, 'failed'::text, 'refunded'::text])),
  constraint covered_needs_no_rail CHECK (amount > gift_card_amount OR (status = ANY (ARRAY['succeeded'::text, 'refunded'::text])) AND rail_reference IS NULL AND fee = 0) NOT VALID,
  constraint failed_has_reason CHECK ((status = 'failed'::text) = (failure_reason IS NOT NULL)),
  constraint fee_is_the_formula CHECK (fee =
CASE
    WHEN amount = gift_card_amount THEN 0::bigint
    ELSE LEAST(GREATEST((amount - gift_card_amount) / 1000 * 15 + (amount - gift_card_amount) % 1000::bigint * 15 / 1000, 200::bigint), 5000::bigint)
END),
  constraint fee_within_amount CHECK (fee >= 0 AND fee <= (amount - gift_card_amount)),
  constraint final_has_time CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refunded'::text])) = (completed_at IS NOT NULL)),
  constraint held_when_paid CHECK ((status = ANY (ARRAY['succeeded'::text, 'refunded'::text])) = (hold_until IS NOT NULL)),
  constraint open_is_followed CHECK (((status = ANY (ARRAY['pending'::text, 'authorized'::text])) AND voided_at IS NULL) = (follow_at IS NOT NULL)),
  constraint pays_once_on_a_link CHECK (NOT pays_once OR payment_link_id IS NOT NULL),
  constraint refunded_by_payout CHECK ((refund_id IS NOT NULL) = (status = 'refunded'::text AND amount > gift_card_amount)) NOT VALID,
  constraint refunded_has_time CHECK ((status = 'refunded'::text) = (refunded_at IS NOT NULL)) NOT VALID,
  constraint settled_after_hold CHECK (settled_at IS NULL OR hold_until IS NOT NULL AND (mode = 'test'::mode OR settled_at >= hold_until)),
  constraint settled_by_record CHECK (settlement_id IS NULL OR settled_at IS NOT NULL),
  constraint shares_within_net CHECK (shares IS NULL OR shares >= 0 AND shares <= (amount - gift_card_amount - fee)),
  constraint split_is_not_refunded CHECK (shares IS NULL OR status <> 'refunded'::text),
  constraint test_is_published CHECK (mode = 'live'::mode OR published AND voided_at IS NULL),
  constraint voided_is_hidden CHECK (voided_at IS NULL OR (status = ANY (ARRAY['pending'::text, 'authorized'::text])) AND NOT published)
) with (fillfactor=85);
CREATE INDEX charges_by_email ON charges USING btree (merchant_id, mode, lower(email), created_at, id) WHERE published AND email IS NOT NULL;
CREATE INDEX charges_by_phone ON charges USING btree (merchant_id, mode, phone9, created_at, id) WHERE published AND phone9 IS NOT NULL;
CREATE INDEX charges_by_reference ON charges USING btree (merchant_id, mode, reference, created_at, id) WHERE published AND reference IS NOT NULL;
CREATE INDEX charges_covered ON charges USING btree (merchant_id, mode, completed_at) WHERE amount = gift_card_amount;
CREATE INDEX charges_followed ON charges USING btree (follow_at) WHERE follow_at IS NOT NULL;
CREATE INDEX charges_held ON charges USING btree (merchant_id, mode, hold_until) WHERE hold_until IS NOT NULL AND settled_at IS NULL;
CREATE INDEX charges_listed ON charges USING btree (merchant_id, mode, status, created_at, id) WHERE published;
CREATE UNIQUE INDEX charges_once_on_link ON charges USING btree (merchant_id, payment_link_id) WHERE pays_once AND status <> 'failed'::text AND voided_at IS NULL;
CREATE INDEX charges_paid_on_link ON charges USING btree (merchant_id, payment_link_id, created_at, id) WHERE payment_link_id IS NOT NULL AND (status = ANY (ARRAY['succeeded'::text, 'refunded'::text]));
CREATE INDEX charges_prompting ON charges USING btree (phone9, created_at) WHERE payment_link_id IS NOT NULL AND mode = 'live'::mode;
CREATE TRIGGER charges_move_forward BEFORE UPDATE OF status ON charges FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status AND (old.status <> 'pending'::text OR new.status <> 'authorized'::text) AND (old.status <> 'pending'::text OR new.status <> 'succeeded'::text) AND (old.status <> 'pending'::text OR new.status <> 'failed'::text) AND (old.status <> 'authorized'::text OR new.status <> 'succeeded'::text) AND (old.status <> 'authorized'::text OR new.status <> 'failed'::text) AND (old.status <> 'succeeded'::text OR new.status <> 'refunded'::text)) EXECUTE FUNCTION refuse_move();

create table deliveries (
  merchant_id bigint not null,
  event_id text not null,
  mode mode not null,
  event text not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  lease_until timestamp with time zone,
  lease_token text,
  resend_wanted boolean not null default false,
  url text,
  last_response_code integer,
  last_error text,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint deliveries_pkey PRIMARY KEY (merchant_id, event_id),
  constraint deliveries_attempts_check CHECK (attempts >= 0 AND attempts <= 8),
  constraint deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text])),
  constraint final_is_quiet CHECK (status = 'pending'::text OR next_attempt_at IS NULL AND lease_until IS NULL),
  constraint gave_up_after_eight CHECK (status <> 'failed'::text OR attempts = 8),
  constraint lease_is_whole CHECK ((lease_until IS NULL) = (lease_token IS NULL)),
  constraint sent_has_time CHECK ((status = 'sent'::text) = (delivered_at IS NOT NULL))
) with (fillfactor=80);
CREATE INDEX deliveries_due ON deliveries USING btree (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_due_of ON deliveries USING btree (merchant_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_failed ON deliveries USING btree (merchant_id, mode, created_at, event_id) WHERE status = 'failed'::text;
CREATE INDEX deliveries_listed ON deliveries USING btree (merchant_id, mode, created_at, event_id);
CREATE INDEX deliveries_of_event ON deliveries USING btree (merchant_id, mode, event, created_at, event_id);
CREATE INDEX deliveries_parked ON deliveries USING btree (merchant_id, created_at, event_id) WHERE status = 'pending'::text AND next_attempt_at IS NULL;

create table dispense_claims (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  charge_id text not null,
  kind text not null,
  order_id text not null,
  machine text not null,
  goods json not null,
  pay_account text,
  attempt integer not null,
  state text not null,
  lease_until timestamp with time zone,
  claimed_at timestamp with time zone not null,
  commanded_at timestamp with time zone,
  answered_at timestamp with time zone,
  released_at timestamp with time zone,
  supplier_code text,
  supplier_message text,
  reports_at timestamp with time zone,
  reports text,
  vending_status text,
  dispense_result json,
  units_dispensed integer,
  optimistic boolean not null default false,
  constraint dispense_claims_pkey PRIMARY KEY (merchant_id, id),
  constraint dispense_claims_merchant_id_charge_id_fkey FOREIGN KEY (merchant_id, charge_id) REFERENCES charges(merchant_id, id),
  constraint claimed_is_unsent CHECK (state <> 'claimed'::text OR commanded_at IS NULL),
  constraint dispense_claims_attempt_check CHECK (attempt >= 1),
  constraint dispense_claims_kind_check CHECK (kind = ANY (ARRAY['order'::text, 'direct'::text])),
  constraint dispense_claims_order_id_check CHECK (length(order_id) >= 1 AND length(order_id) <= 64),
  constraint dispense_claims_reports_check CHECK (reports = ANY (ARRAY['delivered'::text, 'jam'::text, 'not_finished'::text])),
  constraint dispense_claims_state_check CHECK (state = ANY (ARRAY['claimed'::text, 'commanding'::text, 'accepted'::text, 'ambiguous'::text, 'delivered'::text, 'released'::text])),
  constraint dispense_claims_vending_status_check CHECK (vending_status = ANY (ARRAY['dispensing'::text, 'dispensed'::text, 'failed'::text])),
  constraint optimistic_is_direct CHECK (NOT optimistic OR kind = 'direct'::text),
  constraint released_has_time CHECK ((state = 'released'::text) = (released_at IS NOT NULL)),
  constraint simulated_in_test CHECK (reports_at IS NULL OR mode = 'test'::mode)
) with (fillfactor=70);
CREATE INDEX dispense_claims_of_charge ON dispense_claims USING btree (merchant_id, charge_id, claimed_at);
CREATE INDEX dispense_claims_of_order ON dispense_claims USING btree (merchant_id, order_id, attempt);
CREATE UNIQUE INDEX dispense_claims_once ON dispense_claims USING btree (merchant_id, charge_id) WHERE released_at IS NULL;
CREATE INDEX dispense_claims_simulated ON dispense_claims USING btree (reports_at) WHERE reports_at IS NOT NULL;
CREATE INDEX dispense_claims_waiting ON dispense_claims USING btree (lease_until) WHERE state = ANY (ARRAY['claimed'::text, 'commanding'::text]);
CREATE TRIGGER claims_move_forward BEFORE UPDATE OF state ON dispense_claims FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state AND (old.state <> 'claimed'::text OR new.state <> 'commanding'::text) AND (old.state <> 'claimed'::text OR new.state <> 'delivered'::text) AND (old.state <> 'claimed'::text OR new.state <> 'released'::text) AND (old.state <> 'commanding'::text OR new.state <> 'accepted'::text) AND (old.state <> 'commanding'::text OR new.state <> 'ambiguous'::text) AND (old.state <> 'commanding'::text OR new.state <> 'delivered'::text) AND (old.state <> 'commanding'::text OR new.state <> 'released'::text) AND (old.state <> 'accepted'::text OR new.state <> 'delivered'::text) AND (old.state <> 'accepted'::text OR new.state <> 'released'::text) AND (old.state <> 'ambiguous'::text OR new.state <> 'delivered'::text) AND (old.state <> 'ambiguous'::text OR new.state <> 'released'::text) AND (old.state <> 'released'::text OR new.state <> 'delivered'::text)) EXECUTE FUNCTION refuse_claim_move();

create table dispense_secrets (
  merchant_id bigint not null,
  mode mode not null,
  ciphertext bytea not null,
  created_at timestamp with time zone not null,
  constraint dispense_secrets_pkey PRIMARY KEY (merchant_id, mode),
  constraint dispense_secrets_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table disputes (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  charge_id text not null,
  reason text not null,
  details text,
  contact text,
  opened_at timestamp with time zone not null,
  respond_by timestamp with time zone not null,
  closed_at timestamp with time zone,
  tell_at timestamp with time zone,
  constraint disputes_pkey PRIMARY KEY (merchant_id, id),
  constraint disputes_merchant_id_charge_id_fkey FOREIGN KEY (merchant_id, charge_id) REFERENCES charges(merchant_id, id),
  constraint disputes_check CHECK (respond_by > opened_at),
  constraint disputes_check1 CHECK (closed_at >= opened_at),
  constraint disputes_contact_check CHECK (length(contact) <= 160),
  constraint disputes_details_check CHECK (length(details) <= 2000),
  constraint disputes_id_check CHECK (id ~ '^dsp_[a-z0-9]{21}$'::text),
  constraint disputes_reason_check CHECK (reason = ANY (ARRAY['not_delivered'::text, 'wrong_amount'::text, 'double_charge'::text, 'other'::text])),
  constraint only_live_is_told_later CHECK (tell_at IS NULL OR mode = 'live'::mode AND tell_at > opened_at)
);
CREATE UNIQUE INDEX disputes_open_once ON disputes USING btree (merchant_id, charge_id) WHERE closed_at IS NULL;
CREATE INDEX disputes_opened ON disputes USING btree (merchant_id, opened_at, id);
CREATE INDEX disputes_told ON disputes USING btree (merchant_id, mode, COALESCE(tell_at, opened_at) DESC);
CREATE INDEX disputes_told_later ON disputes USING btree (tell_at) WHERE tell_at IS NOT NULL;
CREATE TRIGGER closed_disputes_never_change BEFORE UPDATE ON disputes FOR EACH ROW WHEN (old.closed_at IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER disputes_never_go BEFORE DELETE ON disputes FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table events (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  type text not null,
  subject text not null,
  occurrence integer not null default 0,
  body text not null,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (merchant_id, id)
);
CREATE UNIQUE INDEX events_once ON events USING btree (merchant_id, subject, type, occurrence);
CREATE TRIGGER events_never_change BEFORE DELETE OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_never_empty BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table exceptions (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  kind text not null,
  severity text not null,
  subject text not null,
  details jsonb not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  note text,
  constraint exceptions_pkey PRIMARY KEY (merchant_id, id),
  constraint exceptions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint exceptions_check CHECK ((closed_at IS NULL) = (note IS NULL)),
  constraint exceptions_severity_check CHECK (severity = ANY (ARRAY['critical'::text, 'warning'::text]))
);
CREATE UNIQUE INDEX exceptions_open_once ON exceptions USING btree (merchant_id, subject, kind) WHERE closed_at IS NULL;

create table gift_card_uses (
  merchant_id bigint not null,
  charge_id text not null,
  card_id text not null,
  amount bigint not null,
  state text not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint gift_card_uses_pkey PRIMARY KEY (merchant_id, charge_id),
  constraint gift_card_uses_merchant_id_card_id_fkey FOREIGN KEY (merchant_id, card_id) REFERENCES gift_cards(merchant_id, id),
  constraint gift_card_uses_merchant_id_charge_id_fkey FOREIGN KEY (merchant_id, charge_id) REFERENCES charges(merchant_id, id),
  constraint gift_card_uses_amount_check CHECK (amount > 0),
  constraint gift_card_uses_state_check CHECK (state = ANY (ARRAY['reserved'::text, 'taken'::text, 'freed'::text, 'restored'::text])),
  constraint reserved_is_open CHECK ((state = 'reserved'::text) = (ended_at IS NULL))
);
CREATE INDEX gift_card_uses_of_card ON gift_card_uses USING btree (merchant_id, card_id);
CREATE TRIGGER card_uses_move_forward BEFORE UPDATE OF state ON gift_card_uses FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state AND (old.state <> 'reserved'::text OR new.state <> 'taken'::text) AND (old.state <> 'reserved'::text OR new.state <> 'freed'::text) AND (old.state <> 'taken'::text OR new.state <> 'restored'::text)) EXECUTE FUNCTION refuse_change();

create table gift_cards (
  merchant_id bigint not null,
  id text not null,
  code_hash bytea not null,
  last4 text not null,
  value bigint not null,
  balance bigint not null,
  reserved bigint not null default 0,
  spent bigint not null default 0,
  notes text,
  expires_at timestamp with time zone not null,
  deactivated_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint gift_cards_pkey PRIMARY KEY (merchant_id, id),
  constraint gift_cards_merchant_id_code_hash_key UNIQUE (merchant_id, code_hash),
  constraint gift_cards_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint gift_cards_balance_check CHECK (balance >= 0),
  constraint gift_cards_code_hash_check CHECK (length(code_hash) = 32),
  constraint gift_cards_id_check CHECK (id ~ '^gc_[a-z0-9]{21}$'::text),
  constraint gift_cards_last4_check CHECK (length(last4) = 4),
  constraint gift_cards_notes_check CHECK (length(notes) <= 1000),
  constraint gift_cards_reserved_check CHECK (reserved >= 0),
  constraint gift_cards_spent_check CHECK (spent >= 0),
  constraint gift_cards_value_check CHECK (value >= 1 AND value <= '9007199254740991'::bigint),
  constraint value_is_kept CHECK (value = (balance + reserved + spent))
) with (fillfactor=85);
CREATE INDEX gift_cards_listed ON gift_cards USING btree (merchant_id, created_at, id);

create table idempotency_keys (
  merchant_id bigint not null,
  mode mode not null,
  key text not null,
  fingerprint bytea not null,
  object_id text,
  status smallint,
  body text,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (merchant_id, mode, key),
  constraint answered_whole CHECK ((status IS NULL) = (body IS NULL)),
  constraint idempotency_keys_fingerprint_check CHECK (length(fingerprint) = 32),
  constraint idempotency_keys_key_check CHECK (length(key) >= 1 AND length(key) <= 255),
  constraint idempotency_keys_status_check CHECK (status <> ALL (ARRAY[401, 403, 413, 429, 500, 502, 503]))
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at);
CREATE INDEX idempotency_keys_running ON idempotency_keys USING btree (created_at) WHERE status IS NULL;

create table ledger_checkpoints (
  merchant_id bigint not null,
  mode mode not null,
  seq bigint not null,
  balances jsonb not null,
  at timestamp with time zone not null,
  constraint ledger_checkpoints_pkey PRIMARY KEY (merchant_id, mode, seq)
);
CREATE TRIGGER checkpoints_never_change BEFORE DELETE OR UPDATE ON ledger_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoints_never_empty BEFORE TRUNCATE ON ledger_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table ledger_heads (
  merchant_id bigint not null,
  mode mode not null,
  available bigint not null default 0,
  pending bigint not null default 0,
  in_flight bigint not null default 0,
  seq bigint not null default 0,
  payouts_paused_by text,
  payouts_frozen_for text,
  closed_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint ledger_heads_pkey PRIMARY KEY (merchant_id, mode),
  constraint ledger_heads_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint ledger_heads_available_check CHECK (available >= 0),
  constraint ledger_heads_in_flight_check CHECK (in_flight >= 0),
  constraint ledger_heads_pending_check CHECK (pending >= 0),
  constraint ledger_heads_seq_check CHECK (seq >= 0)
) with (fillfactor=50);
CREATE INDEX ledger_heads_frozen ON ledger_heads USING btree (merchant_id, mode) WHERE payouts_frozen_for IS NOT NULL;

create table machines (
  merchant_id bigint not null,
  machine text not null,
  name text not null,
  address text,
  category text,
  type text,
  latitude text,
  longitude text,
  active boolean not null default true,
  removed_at timestamp with time zone,
  last_synced_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint machines_pkey PRIMARY KEY (merchant_id, machine),
  constraint machines_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint machines_machine_check CHECK (length(machine) >= 1 AND length(machine) <= 64),
  constraint machines_name_check CHECK (length(name) >= 1 AND length(name) <= 200)
);
CREATE INDEX machines_by_number ON machines USING btree (machine) WHERE removed_at IS NULL;

create table merchant_secrets (
  merchant_id bigint not null,
  purpose text not null,
  ciphertext bytea not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint merchant_secrets_pkey PRIMARY KEY (merchant_id, purpose),
  constraint merchant_secrets_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint merchant_secrets_check CHECK ((purpose = 'webhook_previous'::text) = (expires_at IS NOT NULL)),
  constraint merchant_secrets_purpose_check CHECK (purpose = ANY (ARRAY['webhook'::text, 'webhook_previous'::text]))
);

create table merchants (
  id bigint not null,
  public_id text not null,
  tag text not null,
  handle text not null,
  name text not null,
  email text not null,
  public_key_test text not null,
  public_key_live text not null,
  kyc_status text not null default 'pending'::text,
  active boolean not null default true,
  vending_enabled boolean not null default false,
  instant_settlement boolean not null default false,
  charge_limit bigint,
  payout_limit bigint,
  webhook_url text,
  webhook_changed_at timestamp with time zone,
  auto_refund_on_jam text not null default 'off'::text,
  test_hold text not null default 'none'::text,
  test_clock_offset_ms bigint not null default 0,
  fail_next_payouts integer not null default 0,
  fail_next_reason text,
  created_at timestamp with time zone not null,
  vat_number text,
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_handle_key UNIQUE (handle),
  constraint merchants_public_id_key UNIQUE (public_id),
  constraint merchants_public_key_live_key UNIQUE (public_key_live),
  constraint merchants_public_key_test_key UNIQUE (public_key_test),
  constraint merchants_tag_key UNIQUE (tag),
  constraint merchants_auto_refund_on_jam_check CHECK (auto_refund_on_jam = ANY (ARRAY['off'::text, 'test'::text, 'live'::text, 'both'::text])),
  constraint merchants_charge_limit_check CHECK (charge_limit > 0),
  constraint merchants_check CHECK (fail_next_payouts = 0 OR fail_next_reason IS NOT NULL),
  constraint merchants_fail_next_payouts_check CHECK (fail_next_payouts >= 0 AND fail_next_payouts <= 100),
  constraint merchants_fail_next_reason_check CHECK (fail_next_reason = ANY (ARRAY['insufficient_funds'::text, 'user_cancelled'::text, 'timeout'::text, 'rail_rejected'::text, 'recipient_not_found'::text, 'wallet_locked'::text])),
  constraint merchants_kyc_status_check CHECK (kyc_status = ANY (ARRAY['pending'::text, 'verified'::text, 'rejected'::text])),
  constraint merchants_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint merchants_payout_limit_check CHECK (payout_limit > 0),
  constraint merchants_tag_check CHECK (tag ~ '^[a-z0-9]{5}$'::text),
  constraint merchants_test_clock_offset_ms_check CHECK (test_clock_offset_ms >= 0),
  constraint merchants_test_hold_check CHECK (test_hold = ANY (ARRAY['none'::text, 'realistic'::text])),
  constraint merchants_webhook_url_check CHECK (length(webhook_url) <= 2048)
);
CREATE INDEX merchants_address_changed ON merchants USING btree (webhook_changed_at) WHERE webhook_changed_at IS NOT NULL;

create table payment_links (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  kind text not null default 'link'::text,
  amount bigint not null,
  description text,
  reference text,
  success_url text,
  cancel_url text,
  allow_multiple_uses boolean not null,
  charge_id text,
  switched_off_at timestamp with time zone,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  invalidated_at timestamp with time zone,
  constraint payment_links_pkey PRIMARY KEY (merchant_id, id),
  constraint payment_links_merchant_id_id_mode_key UNIQUE (merchant_id, id, mode),
  constraint payment_links_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint links_stay CHECK (kind = 'order'::text OR invalidated_at IS NULL),
  constraint orders_are_one_shot CHECK (kind = 'link'::text OR NOT allow_multiple_uses),
  constraint orders_expire CHECK ((kind = 'order'::text) = (expires_at IS NOT NULL)),
  constraint payment_links_amount_check CHECK (amount >= 201 AND amount <= '9007199254740991'::bigint),
  constraint payment_links_cancel_url_check CHECK (length(cancel_url) <= 2048),
  constraint payment_links_description_check CHECK (length(description) <= 1000),
  constraint payment_links_kind_check CHECK (kind = ANY (ARRAY['link'::text, 'order'::text])),
  constraint payment_links_reference_check CHECK (length(reference) <= 255),
  constraint payment_links_success_url_check CHECK (length(success_url) <= 2048),
  constraint reusable_is_never_held CHECK (NOT allow_multiple_uses OR charge_id IS NULL)
) with (fillfactor=85);
CREATE INDEX payment_links_by_reference ON payment_links USING btree (merchant_id, mode, reference, created_at, id) WHERE kind = 'link'::text AND reference IS NOT NULL;
CREATE INDEX payment_links_listed ON payment_links USING btree (merchant_id, mode, created_at, id) WHERE kind = 'link'::text;
CREATE INDEX payment_links_open ON payment_links USING btree (merchant_id, mode, expires_at) WHERE kind = 'order'::text AND invalidated_at IS NULL;

create table payout_stops (
  only_row boolean not null default true,
  frozen_for text,
  constraint payout_stops_pkey PRIMARY KEY (only_row),
  constraint payout_stops_only_row_check CHECK (only_row)
);

create table payouts (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  kind text not null,
  status text not null,
  amount bigint not null,
  fee bigint not null,
  channel text not null,
  recipient_phone text not null,
  recipient_name text,
  reference text,
  rail_reference text not null,
  rail_transaction_id text,
  failure_reason text,
  charge_id text,
  batch_id text,
  schedule_id text,
  cycle_at timestamp with time zone,
  item_index integer,
  subaccount_id text,
  fee_to_return bigint not null default 0,
  sandbox_outcome text,
  published boolean not null default true,
  voided_at timestamp with time zone,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  follow_at timestamp with time zone,
  in_queue boolean not null default false,
  constraint payouts_pkey PRIMARY KEY (merchant_id, id),
  constraint failed_has_reason CHECK (
CASE status
    WHEN 'failed'::text THEN failure_reason IS NOT NULL AND failure_reason <> 'ambiguous_network_error_pending_reconciliation'::text
    WHEN 'authorized'::text THEN failure_reason IS NULL OR failure_reason = 'ambiguous_network_error_pending_reconciliation'::text
    ELSE failure_reason IS NULL
END),
  constraint fee_is_the_formula CHECK (fee = LEAST(GREATEST(amount / 1000 * 15 + amount % 1000::bigint * 15 / 1000, 200::bigint), 5000::bigint)),
  constraint final_has_time CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text])) = (completed_at IS NOT NULL)),
  constraint kind_has_its_origin CHECK ((kind = 'refund'::text) = (charge_id IS NOT NULL) AND (kind = 'bulk'::text) = (batch_id IS NOT NULL) AND (kind = 'scheduled'::text) = (schedule_id IS NOT NULL AND cycle_at IS NOT NULL) AND (kind = 'subaccount'::text) = (subaccount_id IS NOT NULL) AND (kind = ANY (ARRAY['bulk'::text, 'scheduled'::text])) = (item_index IS NOT NULL) AND (fee_to_return = 0 OR kind = 'refund'::text)),
  constraint open_is_followed CHECK ((follow_at IS NOT NULL) = ((status = ANY (ARRAY['pending'::text, 'authorized'::text])) AND voided_at IS NULL) OR kind = 'withdrawal'::text AND status = 'pending'::text AND follow_at IS NULL),
  constraint payouts_amount_check CHECK (amount >= 1 AND amount <= '9007199254740991'::bigint),
  constraint payouts_channel_check CHECK (channel = 'op1_momo'::text),
  constraint payouts_failure_reason_check CHECK (failure_reason = ANY (ARRAY['insufficient_funds'::text, 'user_cancelled'::text, 'timeout'::text, 'rail_rejected'::text, 'recipient_not_found'::text, 'wallet_locked'::text, 'insufficient_balance'::text, 'ambiguous_network_error_pending_reconciliation'::text])),
  constraint payouts_fee_to_return_check CHECK (fee_to_return >= 0 AND fee_to_return <= 5000),
  constraint payouts_kind_check CHECK (kind = ANY (ARRAY['payout'::text, 'bulk'::text, 'scheduled'::text, 'refund'::text, 'withdrawal'::text, 'subaccount'::text])),
  constraint payouts_status_check CHECK (status = ANY (ARRAY['pending'::text, 'authorized'::text, 'succeeded'::text, 'failed'::text])),
  constraint switch_is_test CHECK (mode = 'test'::mode OR sandbox_outcome IS NULL),
  constraint test_is_published CHECK (mode = 'live'::mode OR published AND voided_at IS NULL),
  constraint voided_is_hidden CHECK (voided_at IS NULL OR status = 'pending'::text AND NOT published),
  constraint withdrawal_is_live CHECK (mode = 'live'::mode OR kind <> 'withdrawal'::text)
) with (fillfactor=85);
CREATE INDEX payouts_by_phone ON payouts USING btree (merchant_id, mode, "right"(recipient_phone, 9), created_at, id) WHERE published;
CREATE INDEX payouts_by_reference ON payouts USING btree (merchant_id, mode, reference, created_at, id) WHERE published AND reference IS NOT NULL;
CREATE INDEX payouts_due ON payouts USING btree (mode, in_queue, merchant_id, follow_at) WHERE follow_at IS NOT NULL;
CREATE INDEX payouts_followed ON payouts USING btree (follow_at) WHERE follow_at IS NOT NULL;
CREATE INDEX payouts_listed ON payouts USING btree (merchant_id, mode, status, created_at, id) WHERE published;
CREATE UNIQUE INDEX payouts_one_a_cycle ON payouts USING btree (merchant_id, schedule_id, cycle_at, item_index) WHERE schedule_id IS NOT NULL;
CREATE UNIQUE INDEX payouts_one_refund ON payouts USING btree (merchant_id, charge_id) WHERE charge_id IS NOT NULL AND voided_at IS NULL;
CREATE TRIGGER payouts_move_forward BEFORE UPDATE OF status ON payouts FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status AND (old.status <> 'pending'::text OR new.status <> 'authorized'::text) AND (old.status <> 'pending'::text OR new.status <> 'succeeded'::text) AND (old.status <> 'pending'::text OR new.status <> 'failed'::text) AND (old.status <> 'authorized'::text OR new.status <> 'succeeded'::text) AND (old.status <> 'authorized'::text OR new.status <> 'failed'::text)) EXECUTE FUNCTION refuse_move();

create table rail_attempts (
  merchant_id bigint not null,
  id text not null,
  subject text not null,
  side text not null,
  channel text not null,
  installation text not null,
  state text not null,
  sending_since timestamp with time zone,
  submit_ended_at timestamp with time zone,
  question_count integer not null default 0,
  first_not_found_at timestamp with time zone,
  not_found_count integer not null default 0,
  created_at timestamp with time zone not null,
  reposts integer not null default 0,
  refused_as text,
  first_sent_at timestamp with time zone,
  sends integer not null default 0,
  constraint rail_attempts_pkey PRIMARY KEY (merchant_id, id),
  constraint rail_attempts_merchant_id_subject_key UNIQUE (merchant_id, subject),
  constraint rail_attempts_side_check CHECK (side = ANY (ARRAY['collect'::text, 'disburse'::text])),
  constraint rail_attempts_state_check CHECK (state = ANY (ARRAY['queued'::text, 'sending'::text, 'accepted'::text, 'in_doubt'::text, 'not_sent'::text, 'ended'::text, 'void'::text]))
);
CREATE UNIQUE INDEX rail_attempts_one_reference ON rail_attempts USING btree (id);
CREATE TRIGGER attempts_born_sending BEFORE INSERT ON rail_attempts FOR EACH ROW WHEN (new.state = 'sending'::text) EXECUTE FUNCTION keep_installation();
CREATE TRIGGER attempts_keep_installation BEFORE UPDATE ON rail_attempts FOR EACH ROW WHEN (new.state = 'sending'::text OR old.installation <> new.installation OR old.first_sent_at IS DISTINCT FROM new.first_sent_at) EXECUTE FUNCTION keep_installation();
CREATE TRIGGER attempts_mark_queue AFTER UPDATE ON rail_attempts FOR EACH ROW WHEN (new.side = 'disburse'::text AND ((old.state = ANY (ARRAY['queued'::text, 'not_sent'::text])) AND old.first_sent_at IS NULL) <> ((new.state = ANY (ARRAY['queued'::text, 'not_sent'::text])) AND new.first_sent_at IS NULL)) EXECUTE FUNCTION mark_payout_queued();

create table rail_evidence (
  merchant_id bigint not null,
  attempt_id text not null,
  seq bigint generated always as identity not null,
  at timestamp with time zone not null,
  operation text not null,
  answer text not null,
  stage text not null,
  http_status integer,
  operator_code text,
  transport text,
  elapsed_ms integer not null,
  body_sha256 text,
  body_head text,
  installation text,
  constraint rail_evidence_pkey PRIMARY KEY (merchant_id, attempt_id, seq),
  constraint rail_evidence_operation_check CHECK (operation = ANY (ARRAY['ready'::text, 'submit'::text, 'status'::text, 'confirm'::text])),
  constraint rail_evidence_stage_check CHECK (stage = ANY (ARRAY['gate'::text, 'connect'::text, 'sent'::text, 'answered'::text]))
);
CREATE TRIGGER evidence_never_changes BEFORE DELETE OR UPDATE ON rail_evidence FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER evidence_never_emptied BEFORE TRUNCATE ON rail_evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create unlogged table rate_counts (
  process text not null,
  merchant_id bigint not null,
  mode mode not null,
  what text not null,
  count integer not null,
  counted_at timestamp with time zone not null,
  constraint rate_counts_pkey PRIMARY KEY (process, merchant_id, mode, what)
) with (fillfactor=50);

create unlogged table rate_windows (
  merchant_id bigint not null,
  mode mode not null,
  what text not null,
  accepted_ms bigint[] not null default '{}'::bigint[],
  accepted text not null default ''::text,
  constraint rate_windows_pkey PRIMARY KEY (merchant_id, mode, what)
) with (fillfactor=50);

create table receivers (
  merchant_id bigint not null,
  lane text not null default 'fast'::text,
  good_in_a_row integer not null default 0,
  last_success_at timestamp with time zone,
  constraint receivers_pkey PRIMARY KEY (merchant_id),
  constraint receivers_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint receivers_lane_check CHECK (lane = ANY (ARRAY['fast'::text, 'slow'::text]))
) with (fillfactor=50);

create table schedules (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  status text not null,
  name text,
  amount bigint not null,
  channel text not null,
  "interval" text not null,
  recipients jsonb not null,
  max_per_recipient bigint,
  start_at timestamp with time zone,
  anchor_at timestamp with time zone not null,
  next_run_at timestamp with time zone,
  last_run_at timestamp with time zone,
  failure_reason text,
  cancelled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint schedules_pkey PRIMARY KEY (merchant_id, id),
  constraint cancelled_runs_no_more CHECK ((status = 'cancelled'::text) = (next_run_at IS NULL) AND (status = 'cancelled'::text) = (cancelled_at IS NOT NULL)),
  constraint only_paused_has_reason CHECK (status = 'paused'::text OR failure_reason IS NULL),
  constraint schedules_amount_check CHECK (amount >= 1 AND amount <= '9007199254740991'::bigint),
  constraint schedules_channel_check CHECK (channel = 'op1_momo'::text),
  constraint schedules_check CHECK (max_per_recipient >= amount),
  constraint schedules_interval_check CHECK ("interval" = ANY (ARRAY['daily'::text, 'weekly'::text, 'monthly'::text])),
  constraint schedules_recipients_check CHECK (jsonb_array_length(recipients) >= 1 AND jsonb_array_length(recipients) <= 1000),
  constraint schedules_status_check CHECK (status = ANY (ARRAY['active'::text, 'paused'::text, 'cancelled'::text]))
);
CREATE INDEX schedules_due ON schedules USING btree (next_run_at) WHERE status = 'active'::text;
CREATE INDEX schedules_listed ON schedules USING btree (merchant_id, mode, created_at, id);
CREATE TRIGGER schedules_move_forward BEFORE UPDATE OF status ON schedules FOR EACH ROW WHEN (old.status = 'cancelled'::text AND new.status <> 'cancelled'::text) EXECUTE FUNCTION refuse_move();

create table settlements (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  kind text not null,
  subaccount_id text,
  amount bigint not null,
  charge_count integer not null,
  created_at timestamp with time zone not null,
  constraint settlements_pkey PRIMARY KEY (merchant_id, id),
  constraint settlements_amount_check CHECK (amount > 0),
  constraint settlements_charge_count_check CHECK (charge_count > 0),
  constraint settlements_check CHECK ((kind = 'split_sweep'::text) = (subaccount_id IS NOT NULL)),
  constraint settlements_check1 CHECK (kind <> 'instant'::text OR charge_count = 1),
  constraint settlements_kind_check CHECK (kind = ANY (ARRAY['sweep'::text, 'instant'::text, 'split_sweep'::text]))
);
CREATE INDEX settlements_listed ON settlements USING btree (merchant_id, mode, created_at, id);
CREATE TRIGGER settlements_never_change BEFORE DELETE OR UPDATE ON settlements FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER settlements_never_empty BEFORE TRUNCATE ON settlements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table statement_headers (
  merchant_id bigint not null,
  mode mode not null,
  period text not null,
  merchant_name text not null,
  handle text not null,
  vat_number text,
  kept_at timestamp with time zone not null,
  constraint statement_headers_pkey PRIMARY KEY (merchant_id, mode, period),
  constraint statement_headers_period_check CHECK (period ~ '^[0-9]{4}-[0-9]{2}$'::text)
);

create table storefront_items (
  merchant_id bigint not null,
  id text not null,
  link_id text not null,
  name text not null,
  picture bytea,
  picture_at timestamp with time zone,
  removed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint storefront_items_pkey PRIMARY KEY (merchant_id, id),
  constraint storefront_items_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint storefront_items_merchant_id_link_id_fkey FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links(merchant_id, id),
  constraint storefront_items_check CHECK ((picture IS NULL) = (picture_at IS NULL)),
  constraint storefront_items_id_check CHECK (id ~ '^itm_[a-z0-9]{21}$'::text),
  constraint storefront_items_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint storefront_items_picture_check CHECK (length(picture) <= 262144)
);
CREATE UNIQUE INDEX storefront_items_of_link ON storefront_items USING btree (merchant_id, link_id);
CREATE INDEX storefront_items_shown ON storefront_items USING btree (merchant_id, created_at, id) WHERE removed_at IS NULL;

create table subaccount_heads (
  merchant_id bigint not null,
  mode mode not null,
  subaccount_id text not null,
  available bigint not null default 0,
  pending bigint not null default 0,
  constraint subaccount_heads_pkey PRIMARY KEY (merchant_id, mode, subaccount_id),
  constraint subaccount_heads_available_check CHECK (available >= 0),
  constraint subaccount_heads_pending_check CHECK (pending >= 0)
) with (fillfactor=50);

create table subaccounts (
  merchant_id bigint not null,
  id text not null,
  name text not null,
  status text not null default 'active'::text,
  external_ref text,
  payout_phone text,
  created_at timestamp with time zone not null,
  constraint subaccounts_pkey PRIMARY KEY (merchant_id, id),
  constraint subaccounts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint subaccounts_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint subaccounts_status_check CHECK (status = ANY (ARRAY['active'::text, 'inactive'::text]))
);
CREATE INDEX subaccounts_listed ON subaccounts USING btree (merchant_id, created_at, id);

create table transfers (
  merchant_id bigint not null,
  mode mode not null,
  seq bigint not null,
  kind text not null,
  subject text not null,
  debit text not null,
  credit text not null,
  amount bigint not null,
  at timestamp with time zone not null,
  constraint transfers_pkey PRIMARY KEY (merchant_id, mode, seq),
  constraint known_shape CHECK (
CASE kind
    WHEN 'charge_net'::text THEN debit ~ '^rail:[a-z0-9_]+$'::text AND (credit = ANY (ARRAY['pending'::text, 'available'::text]))
    WHEN 'charge_fee'::text THEN debit ~ '^rail:[a-z0-9_]+$'::text AND credit = 'fees'::text
    WHEN 'payout_reserve'::text THEN debit = 'available'::text AND credit = 'in_flight'::text
    WHEN 'payout_sent'::text THEN debit = 'in_flight'::text AND credit ~ '^rail:[a-z0-9_]+$'::text
    WHEN 'payout_fee'::text THEN debit = 'in_flight'::text AND credit = 'fees'::text
    WHEN 'payout_return'::text THEN debit = 'in_flight'::text AND credit = 'available'::text
    WHEN 'hold_release'::text THEN debit = 'pending'::text AND credit = 'available'::text
    WHEN 'split_share'::text THEN debit ~ '^rail:[a-z0-9_]+$'::text AND credit ~ '^sub_(available|pending):sub_[a-z0-9]+$'::text
    WHEN 'split_release'::text THEN debit ~ '^sub_pending:sub_[a-z0-9]+$'::text AND credit = ('sub_available'::text || substr(debit, 12))
    WHEN 'charge_fee_return'::text THEN debit = 'fees'::text AND credit = 'available'::text
    WHEN 'sub_payout_reserve'::text THEN debit ~ '^sub_available:sub_[a-z0-9]+$'::text AND credit = 'in_flight'::text
    WHEN 'sub_payout_return'::text THEN debit = 'in_flight'::text AND credit ~ '^sub_available:sub_[a-z0-9]+$'::text
    WHEN 'test_funds'::text THEN debit = 'sandbox'::text AND credit = 'available'::text
    ELSE false
END),
  constraint sandbox_is_test CHECK (mode = 'test'::mode OR debit <> 'sandbox'::text),
  constraint transfers_amount_check CHECK (amount >= 1 AND amount <= '9007199254740991'::bigint)
);
CREATE UNIQUE INDEX happens_once ON transfers USING btree (merchant_id, subject, kind) WHERE kind <> ALL (ARRAY['split_share'::text, 'split_release'::text]);
CREATE UNIQUE INDEX payout_ends_once ON transfers USING btree (merchant_id, subject) WHERE kind = ANY (ARRAY['payout_sent'::text, 'payout_return'::text, 'sub_payout_return'::text]);
CREATE UNIQUE INDEX share_happens_once ON transfers USING btree (merchant_id, subject, kind, split_part(credit, ':'::text, 2)) WHERE kind = ANY (ARRAY['split_share'::text, 'split_release'::text]);
CREATE TRIGGER transfers_never_change BEFORE DELETE OR UPDATE ON transfers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_never_empty BEFORE TRUNCATE ON transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table vending_orders (
  merchant_id bigint not null,
  id text not null,
  mode mode not null,
  machine text not null,
  goods json not null,
  pay_account text,
  vending_status text not null default 'pending'::text,
  vending_error text,
  confirmed boolean not null default false,
  dispense_result json,
  units_dispensed integer,
  dispensed_at timestamp with time zone,
  attempts integer not null default 0,
  watched boolean not null default true,
  refund_due_at timestamp with time zone,
  refund_until timestamp with time zone,
  created_at timestamp with time zone not null,
  refund_wanted boolean,
  constraint vending_orders_pkey PRIMARY KEY (merchant_id, id),
  constraint order_is_a_link FOREIGN KEY (merchant_id, id, mode) REFERENCES payment_links(merchant_id, id, mode),
  constraint vending_orders_merchant_id_machine_fkey FOREIGN KEY (merchant_id, machine) REFERENCES machines(merchant_id, machine),
  constraint dispensed_has_time CHECK ((vending_status = 'dispensed'::text) = (dispensed_at IS NOT NULL)),
  constraint refund_has_end CHECK (refund_due_at IS NULL OR refund_until IS NOT NULL),
  constraint refund_is_wanted CHECK (refund_due_at IS NULL OR refund_wanted IS NOT FALSE) NOT VALID,
  constraint vending_orders_attempts_check CHECK (attempts >= 0),
  constraint vending_orders_pay_account_check CHECK (length(pay_account) <= 64),
  constraint vending_orders_units_dispensed_check CHECK (units_dispensed >= 0),
  constraint vending_orders_vending_error_check CHECK (length(vending_error) <= 500),
  constraint vending_orders_vending_status_check CHECK (vending_status = ANY (ARRAY['pending'::text, 'dispensing'::text, 'dispensed'::text, 'failed'::text]))
) with (fillfactor=70);
CREATE INDEX vending_orders_of_machine ON vending_orders USING btree (merchant_id, machine, mode, created_at, id);
CREATE INDEX vending_orders_refunding ON vending_orders USING btree (refund_due_at) WHERE refund_due_at IS NOT NULL;
CREATE INDEX vending_orders_unconfirmed ON vending_orders USING btree (merchant_id, machine, mode, created_at, id) WHERE vending_status = 'dispensing'::text OR vending_status = 'dispensed'::text AND NOT confirmed;
CREATE INDEX vending_orders_watched ON vending_orders USING btree (created_at) WHERE watched;
CREATE TRIGGER vending_moves_forward BEFORE UPDATE OF vending_status ON vending_orders FOR EACH ROW WHEN (old.vending_status IS DISTINCT FROM new.vending_status AND ((old.vending_status <> 'pending'::text OR new.vending_status <> 'dispensing'::text) AND (old.vending_status <> 'pending'::text OR new.vending_status <> 'failed'::text) AND (old.vending_status <> 'dispensing'::text OR new.vending_status <> 'dispensed'::text) AND (old.vending_status <> 'dispensing'::text OR new.vending_status <> 'failed'::text) AND (old.vending_status <> 'failed'::text OR new.vending_status <> 'dispensing'::text) AND (old.vending_status <> 'failed'::text OR new.vending_status <> 'dispensed'::text) AND (old.vending_status <> 'dispensed'::text OR new.vending_status <> 'failed'::text) OR old.vending_status = 'dispensed'::text AND old.confirmed)) EXECUTE FUNCTION refuse_change();

create table vending_profiles (
  merchant_id bigint not null,
  profile text not null default 'default'::text,
  accept_api_secret boolean not null default true,
  changed_at timestamp with time zone not null,
  constraint vending_profiles_pkey PRIMARY KEY (merchant_id),
  constraint vending_profiles_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint vending_profiles_profile_check CHECK (profile = ANY (ARRAY['default'::text, 'optimistic'::text]))
);

create table vending_suppliers (
  merchant_id bigint not null,
  base_url text not null,
  shbh text not null,
  key_ciphertext bytea not null,
  secret_ciphertext bytea not null,
  changed_at timestamp with time zone not null,
  constraint vending_suppliers_pkey PRIMARY KEY (merchant_id),
  constraint vending_suppliers_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint vending_suppliers_base_url_check CHECK (length(base_url) <= 2048),
  constraint vending_suppliers_shbh_check CHECK (length(shbh) >= 1 AND length(shbh) <= 64)
);

create table vendor_callbacks (
  merchant_id bigint not null,
  id text not null,
  order_id text not null,
  charge_id text,
  machine text,
  sign text not null,
  outcome text not null,
  body text not null,
  received_at timestamp with time zone not null,
  constraint vendor_callbacks_pkey PRIMARY KEY (merchant_id, id),
  constraint vendor_callbacks_body_check CHECK (length(body) <= 65536),
  constraint vendor_callbacks_outcome_check CHECK (outcome = ANY (ARRAY['dispensed'::text, 'jam'::text, 'not_finished'::text, 'mismatch'::text, 'unpaid'::text, 'refunded'::text, 'contradiction'::text])),
  constraint vendor_callbacks_sign_check CHECK (sign ~ '^[0-9a-f]{32}$'::text)
);
CREATE INDEX vendor_callbacks_age ON vendor_callbacks USING brin (received_at);
CREATE UNIQUE INDEX vendor_callbacks_once ON vendor_callbacks USING btree (merchant_id, sign);

create table voucher_misses (
  merchant_id bigint not null,
  link_id text not null,
  misses integer not null,
  since timestamp with time zone not null,
  closed_until timestamp with time zone,
  constraint voucher_misses_pkey PRIMARY KEY (merchant_id, link_id),
  constraint voucher_misses_merchant_id_link_id_fkey FOREIGN KEY (merchant_id, link_id) REFERENCES payment_links(merchant_id, id),
  constraint voucher_misses_misses_check CHECK (misses >= 0)
);

create table withdrawal_numbers (
  merchant_id bigint not null,
  phone text not null,
  set_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  constraint withdrawal_numbers_pkey PRIMARY KEY (merchant_id),
  constraint withdrawal_numbers_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table withdrawals (
  merchant_id bigint not null,
  id text not null,
  state text not null default 'requested'::text,
  note text,
  decided_at timestamp with time zone,
  constraint withdrawals_pkey PRIMARY KEY (merchant_id, id),
  constraint decided_has_time CHECK ((state = 'requested'::text) = (decided_at IS NULL)),
  constraint withdrawals_state_check CHECK (state = ANY (ARRAY['requested'::text, 'approved'::text, 'rejected'::text, 'cancelled'::text]))
);
