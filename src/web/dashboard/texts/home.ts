/** The first page. */
export const HOME = {
  title: 'Home',
  balances: {
    available: 'Available',
    pending: 'Pending',
    next: (time: string) => `The next part becomes available on ${time}.`,
    inFlight: 'On its way out',
  },
  needs: {
    title: 'Needs you',
    none: 'Nothing waits for you.',
    disputes: (count: number, more: boolean) =>
      `${more ? `more than ${count}` : count} open ${count === 1 && !more ? 'dispute' : 'disputes'}: answer within 72 hours`,
    webhooks: 'Webhooks of the last day have failed for good',
    schedule: 'A payroll is paused',
    payrollShort: (missing: string, at: string) => `${missing} is missing for the payroll of ${at}`,
    prepared: (count: number, more: boolean) =>
      `${more ? `more than ${count}` : count} prepared ${count === 1 && !more ? 'payout waits' : 'payouts wait'} for a second person`,
    rejected: 'Your verification was rejected: read the notes and send it again',
  },
  today: 'Today',
  month: 'Last 30 days',
  figures: {
    volume: 'Volume',
    count: (count: string) => (count === '1' ? '1 paid charge' : `${count} paid charges`),
    rate: 'Success rate',
    of: (all: string) => `of ${all} that have ended`,
    failures: 'Why charges failed',
    noFailures: 'None failed.',
    asOf: (time: string) => `Counted at ${time}.`,
  },
  reasons: {
    insufficientFunds: 'too little money',
    userCancelled: 'declined by the customer',
    timeout: 'no answer in time',
    railRejected: 'refused by the operator',
  },
  chart: {
    title: 'Volume a day, with the success rate as a line',
    failures: 'Why charges failed, by day',
    columns: { name: 'Day', bar: 'Volume', share: 'Success rate' },
    point: (day: string, volume: string, paid: number, failed: number) =>
      `${day}: ${volume}, ${paid} paid, ${failed} failed`,
  },
  latest: 'Latest charges',
  all: 'All charges',
  columns: { customer: 'Customer', what: 'What for', amount: 'Amount', status: 'Status', created: 'When' },
  none: 'No charges yet',
  makeOne: 'Ask for a test payment',
  noneLive: 'Go live to take real payments.',
  goLive: 'What is left to do',
  first: {
    title: 'Your first payment',
    says: 'Paste this into a terminal. It holds your real test key, which is shown whole only now. The charge appears below without a reload.',
    label: 'The request that makes your first charge',
    later: 'You find all keys under Developers.',
  },
}
