-- People who sign in, and tills, which a person lets in for a shift. An e-mail address belongs to whoever has proven it: until then it
-- is a claim, several accounts may make the same one, and nobody can keep an address from its owner or learn whether it is in use.
create table people (
  id            bigint generated always as identity primary key,
  public_id     text not null unique check (public_id ~ '^per_[a-z0-9]{21}$'),
  realm         text not null check (realm in ('merchant', 'operator')),
  kind          text not null default 'person' check (kind in ('person', 'till')),
  name          text not null check (length(name) between 1 and 200),
  email         text check (length(email) between 3 and 254),
  -- The address as it is compared: normalized, in lower case.
  email_key     text,
  -- argon2id in its usual text form, with its parameters and its salt. Null until the person has chosen one.
  password      text check (password like '$argon2id$%'),
  operator_role text check (operator_role in ('support', 'risk', 'finance', 'admin')),
  confirmed_at  timestamptz,
  -- A claim that came to nothing: its address was proven by somebody else, or too many made the same one.
  closed_at     timestamptz,
  -- Money out from the dashboard waits until then (reliability.md A74).
  held_until    timestamptz,
  created_at    timestamptz not null,
  constraint people_email_with_key check ((email is null) = (email_key is null)),
  constraint people_till_has_no_login check ((kind = 'till') = (email is null) and (kind = 'person' or password is null)),
  constraint people_operator_has_role check ((realm = 'operator') = (operator_role is not null))
);
create unique index people_confirmed_email on people (realm, email_key) where confirmed_at is not null and closed_at is null;
create index people_email on people (realm, email_key, id) where closed_at is null;

-- Who works for which merchant. A till is a cashier and nothing else.
create table memberships (
  person_id    bigint not null references people,
  merchant_id  bigint not null references merchants,
  role         text not null check (role in ('owner', 'developer', 'cashier', 'accountant', 'viewer')),
  created_at   timestamptz not null,
  primary key (person_id, merchant_id)
);
create index memberships_of_merchant on memberships (merchant_id, person_id);
create index memberships_owners on memberships (merchant_id) where role = 'owner';

-- Whoever changes memberships has locked the merchant's row: two owners cannot remove each other at once.
create function keep_an_owner() returns trigger language plpgsql set search_path from current as $$
begin
  if old.role = 'owner' and not exists (
    select 1 from memberships where merchant_id = old.merchant_id and role = 'owner'
  ) then
    raise exception 'merchant % would have no owner', old.merchant_id using errcode = 'check_violation',
      constraint = 'memberships_keep_an_owner';
  end if;
  return null;
end $$;
create trigger memberships_keep_an_owner after update or delete on memberships for each row execute function keep_an_owner();

-- What the owner lets others do.
create table merchant_rules (
  merchant_id          bigint primary key references merchants,
  -- The largest charge that a cashier may refund, in whole UGX. 0: none.
  cashier_refund_limit bigint not null default 0 check (cashier_refund_limit between 0 and 1000000000000)
);

-- A browser that is signed in, or waits for the second factor (stage 'code'). Only the SHA-256 of its cookie is kept.
create table sessions (
  id            text primary key check (id ~ '^ses_[a-z0-9]{21}$'),
  hash          bytea not null unique check (length(hash) = 32),
  person_id     bigint not null references people,
  -- Where it works; another one may be chosen.
  merchant_id   bigint references merchants,
  stage         text not null check (stage in ('code', 'in')),
  wrong_codes   int not null default 0,
  stepped_up_at timestamptz,
  agent         text not null check (length(agent) <= 200),
  address       text not null check (length(address) <= 64),
  created_at    timestamptz not null,
  seen_at       timestamptz not null,
  ends_at       timestamptz not null
);
create index sessions_of_person on sessions (person_id, created_at);
create index sessions_ended on sessions (ends_at);

-- Second factors: the sealed secret of an authenticator app, or the public key of a passkey.
create table factors (
  id            text primary key check (id ~ '^fac_[a-z0-9]{21}$'),
  person_id     bigint not null references people,
  kind          text not null check (kind in ('totp', 'passkey')),
  name          text not null check (length(name) between 1 and 60),
  sealed        bytea,
  -- The last time step whose code was accepted: a code works once.
  last_step     bigint,
  credential_id text unique,
  public_key    bytea,
  counter       bigint,
  transports    text[],
  created_at    timestamptz not null,
  -- An app counts from the first right code on.
  confirmed_at  timestamptz,
  used_at       timestamptz,
  constraint factors_parts check (case kind
    when 'totp' then sealed is not null and credential_id is null and public_key is null
    else sealed is null and credential_id is not null and public_key is not null and counter is not null end)
);
create index factors_of_person on factors (person_id);
create unique index factors_one_app on factors (person_id) where kind = 'totp' and confirmed_at is not null;

-- What a passkey is asked to sign, for one act of one session.
create table passkey_challenges (
  hash       bytea primary key check (length(hash) = 32),
  session_id text not null references sessions on delete cascade,
  -- SHA-256 of the act that it confirms.
  act        bytea not null check (length(act) = 32),
  expires_at timestamptz not null
);
create index passkey_challenges_of_session on passkey_challenges (session_id);
create index passkey_challenges_ended on passkey_challenges (expires_at);

create table recovery_codes (
  person_id bigint not null references people,
  hash      bytea not null check (length(hash) = 32),
  used_at   timestamptz,
  primary key (person_id, hash)
);

-- Links that work once: to confirm an address, to choose a new password, to join a merchant, to let a till in.
create table one_time_links (
  hash        bytea primary key check (length(hash) = 32),
  id          text not null unique check (id ~ '^lnk_[a-z0-9]{21}$'),
  purpose     text not null check (purpose in ('confirm', 'reset', 'join', 'email', 'till')),
  -- Whose address is confirmed, whose password is chosen.
  person_id   bigint references people,
  -- Where somebody joins, and as what.
  merchant_id bigint references merchants,
  role        text check (role in ('owner', 'developer', 'cashier', 'accountant', 'viewer')),
  email       text check (length(email) between 3 and 254),
  -- The name of a till, and when its shift ends.
  name        text check (length(name) between 1 and 60),
  shift_ends  timestamptz,
  made_by     bigint references people,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  constraint one_time_links_parts check (case purpose
    when 'join' then merchant_id is not null and role is not null and email is not null
    when 'till' then merchant_id is not null and role = 'cashier' and name is not null and shift_ends is not null
    when 'email' then person_id is not null and email is not null
    else person_id is not null end)
);
create index one_time_links_of_merchant on one_time_links (merchant_id, created_at) where used_at is null;
create index one_time_links_of_person on one_time_links (person_id) where used_at is null;
create index one_time_links_ended on one_time_links (expires_at);

-- Wrong passwords and codes, by the SHA-256 of the address: one that nobody has is counted and locked the same way.
create table sign_in_misses (
  realm        text not null check (realm in ('merchant', 'operator')),
  account      bytea not null check (length(account) = 32),
  misses       int not null,
  locked_until timestamptz,
  counts_until timestamptz not null,
  primary key (realm, account)
);
create index sign_in_misses_left on sign_in_misses (counts_until);

-- Browsers that have signed in before. Each has a counter of its own, so that the misses of strangers cannot lock its person out.
create table known_browsers (
  hash         bytea not null check (length(hash) = 32),
  person_id    bigint not null references people,
  misses       int not null default 0,
  locked_until timestamptz,
  seen_at      timestamptz not null,
  primary key (hash, person_id)
);
create index known_browsers_of_person on known_browsers (person_id);
create index known_browsers_left on known_browsers (seen_at);
