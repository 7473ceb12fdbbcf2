-- Who asks for the holders of wallets in long runs is looked for every half minute.
create index audit_of_look_ups on audit (at) where action = 'wallet.look-up';
