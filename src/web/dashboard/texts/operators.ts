/** The notes for merchants while an operator does not serve. */
export const OPERATOR_NOTES = {
  names: { op1_momo: 'MTN MoMo', op2_money: 'Airtel Money', card: 'The card operator' },
  /** For a number that seems to be of another operator than the one that would be asked. */
  otherNumber: {
    says: (other: string, chosen: string) =>
      `This looks like a number of ${other}, and only ${chosen} can be asked here: write a number of ${chosen}`,
    byLink: 'By a payment link the customer can pay with either',
    goOn: (chosen: string) => `This number is ${chosen}: go on`,
  },
  says: {
    silent: {
      collect: (name: string, since: string) =>
        `${name} has not taken payments since ${since}. New charges are refused until it answers again; those under way are asked about.`,
      disburse: (name: string, since: string) =>
        `${name} has not taken payouts since ${since}. What is in the queue waits and goes out by itself; nothing is sent twice.`,
    },
    slow: {
      collect: (name: string, since: string) =>
        `${name} has answered slowly since ${since}. Charges stay under way longer; customers need not pay again.`,
      disburse: (name: string, since: string) =>
        `${name} has answered slowly since ${since}. Payouts stay under way longer; do not send them again.`,
    },
  },
}
