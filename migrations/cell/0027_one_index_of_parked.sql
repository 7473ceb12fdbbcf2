-- deliveries_parked begins with the same column under the same condition, and finds all that this one found.
drop index deliveries_waiting;
