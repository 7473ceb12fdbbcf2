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
    addressSilent: (url: string, since: string) => `Your address ${url} takes nothing since ${since}: look`,
    schedule: 'A payroll is paused',
    payrollShort: (missing: string, at: string) => `${missing} is missing for the payroll of ${at}`,
    prepared: (count: number, more: boolean) =>
      `${more ? `more than ${count}` : count} prepared ${count === 1 && !more ? 'payout waits' : 'payouts wait'} for a second person`,
    standingOrder: (says: string | null) =>
      says === null ? 'Your standing order was not approved' : `Your standing order stands still: ${says}`,
    rejected: 'Your verification was rejected: read the notes and send it again',
  },
  today: 'Today',
  cameIn: {
    title: 'Came in today',
    against: (day: string, volume: string, count: string) => `${day} a week ago: ${volume}, ${count}`,
  },
  month: 'Last 30 days',
  figures: {
    volume: 'Volume',
    count: (count: string) => (count === '1' ? '1 payment' : `${count} payments`),
    rate: 'Success rate',
    of: (all: string) => `of ${all} that have ended`,
    failures: 'Why charges failed',
    noFailures: 'None failed.',
    asOf: (time: string) => `Counted at ${time}.`,
  },
  chart: {
    title: 'Volume a day, with the success rate as a line',
    failures: 'Why charges failed, by day',
    columns: { name: 'Day', bar: 'Volume', share: 'Success rate' },
    point: (day: string, volume: string, paid: number, failed: number) =>
      `${day}: ${volume}, ${paid} paid, ${failed} failed`,
  },
  latest: 'Last payments',
  all: 'All payments',
  columns: { customer: 'Customer', what: 'What for', amount: 'Amount', status: 'Status', created: 'When' },
  none: 'No payments yet',
  makeOne: 'Ask for a test payment',
  noneLive: 'Go live to take real payments.',
  goLive: 'What is left to do',
  first: {
    title: 'Your first payment',
    says: 'Try it here, as at your counter: no real money moves in test mode.',
    ask: 'Ask for a test payment',
    linkSays: 'Or let customers pay by themselves:',
    link: 'make a payment link with a QR code',
    program: 'With a program',
    programSays: 'Paste this into a terminal. It holds your real test key. The payment appears here without a reload.',
    label: 'The request that makes your first charge',
    later: 'You find all keys under Developers.',
  },
}
