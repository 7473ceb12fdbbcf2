-- Commands to machines without an end, by age, for the alert and the metric about them.
create index dispense_claims_commanded on dispense_claims (commanded_at) where state in ('commanding', 'accepted', 'ambiguous');
-- Open exceptions by severity, for the first page of the console.
create index exceptions_open_by_severity on exceptions (severity, opened_at) where closed_at is null;
-- Heads whose payouts somebody froze, and live money under way by when it was made.
create index charges_under_way on charges (created_at) where follow_at is not null and mode = 'live';
create index payouts_under_way on payouts (created_at) where follow_at is not null and mode = 'live';
create index top_ups_under_way on top_ups (created_at) where follow_at is not null;
