-- What a gift card has paid in full goes back on the card: such a refund has no payout.
alter table charges drop constraint refunded_has_time;
alter table charges add constraint refunded_has_time check ((status = 'refunded') = (refunded_at is not null)) not valid;
alter table charges add constraint refunded_by_payout
  check ((refund_id is not null) = (status = 'refunded' and amount > gift_card_amount)) not valid;
