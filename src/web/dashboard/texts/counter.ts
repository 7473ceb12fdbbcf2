/** The strip for the person at the till. */
export const COUNTER = {
  title: 'Counter',
  lead: 'Payments of this shop as they come. Leave this page open at the till.',
  list: 'Latest payments',
  none: 'No payments yet. The first one appears here by itself.',
  sound: 'Switch the sounds on',
  soundOn: 'Sounds are on',
  live: 'Up to date',
  stale: 'No connection since',
  staleSays: 'What you see may be out of date.',
  paid: 'paid',
  failed: 'failed',
  refunded: 'refunded',
  open: 'waiting for the PIN',
  ending: (digits: string) => `phone ending in ${digits}`,
}
