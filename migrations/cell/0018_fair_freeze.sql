-- A row that many transactions lock `for share` one over the other never gets free for the one that wants to change it. A lock
-- of the table is queued fairly: whoever asks for the row after this waits for its turn behind it. Plain reads go on.
create function lock_payout_stops() returns void language plpgsql as $$
begin
  lock table payout_stops in exclusive mode;
end $$;

-- The same for the row of a merchant whose verification is withdrawn while it pays.
create function lock_merchants() returns void language plpgsql as $$
begin
  lock table merchants in exclusive mode;
end $$;
