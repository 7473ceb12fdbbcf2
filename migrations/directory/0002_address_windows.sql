-- What client addresses have been accepted for, where it guards money or codes (platform/rate/shared-address-window.ts): slots of
-- time and how many in each. Only a digest of the address is kept. Unlogged: after a crash the windows start empty.
create unlogged table address_windows (
  what       text not null,
  address    bytea not null check (length(address) = 32),
  accepted   text not null default '',
  -- From then on nothing in it counts, and the row goes.
  counts_until timestamptz not null,
  primary key (what, address)
) with (fillfactor = 50);
create index address_windows_left on address_windows (counts_until);
