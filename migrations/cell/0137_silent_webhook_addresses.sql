-- Alerts and metrics count the further addresses of all merchants that are paused or were switched off.
create index webhook_addresses_stopped on webhook_addresses (state, state_since) where state <> 'active' and removed_at is null;
