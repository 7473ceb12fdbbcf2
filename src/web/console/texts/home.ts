const NUMBER_FORMAT = new Intl.NumberFormat('en-US')

/** The texts of the console's first page. */
export const CONSOLE_HOME_TEXTS = {
  title: 'Home',
  asOf: (time: string) => `As of ${time}`,
  count: (count: number) => NUMBER_FORMAT.format(count),
  underWay: {
    title: 'Live money under way',
    lead: 'Charges, payouts and top-ups that their operator has not answered for good, by age.',
    columns: {
      noun: 'What',
      bands: ['Under 1 min', 'Under 5 min', 'Under 15 min', 'Under 6 h', 'Older'],
      oldest: 'Oldest',
    },
    nouns: { charges: 'Charges', payouts: 'Payouts', 'top-ups': 'Top-ups' },
    parked: 'Parked',
    more: 'Each kind is counted to its oldest 5,000.',
    none: '–',
  },
  work: {
    title: 'Waits for one of you',
    none: 'nothing',
    unknown: 'not known',
    marks: 'Marked payments',
    oldest: (age: string) => `the oldest for ${age}`,
  },
  alerts: { title: 'Open alerts', none: 'none', oldest: (age: string) => `the oldest for ${age}` },
  breaks: {
    title: 'Open exceptions',
    critical: (count: string) => `${count} critical`,
    major: (count: string) => `${count} major`,
    none: 'none',
    oldest: (age: string) => `the oldest for ${age}`,
  },
  workers: {
    title: 'Workers',
    heard: (age: string) => `heard ${age} ago`,
    none: 'none heard',
    count: (count: string) =>
      count === '1' ? 'one process does background work' : `${count} processes do background work`,
    late: (count: string) => `${count} tasks are late or fail`,
    onTime: 'every task is on time',
  },
  sweeps: {
    title: 'Tasks that are furthest behind',
    sweep: 'Task',
    cell: 'Cell',
    lag: 'Behind',
    all: 'All jobs',
  },
  webhooks: {
    title: 'Webhooks',
    pending: (count: string) => `${count} wait`,
    oldest: (age: string) => `the oldest is due for ${age}`,
    onTime: 'none is overdue',
    failing: (count: string) => `${count} receivers fail`,
    allGood: 'no receiver fails',
  },
  verify: {
    title: 'Verify',
    never: 'has not run yet',
    held: (age: string) => `everything held ${age} ago`,
    broken: (count: string) => `${count} rows break an invariant`,
  },
  rails: {
    title: 'Operators',
    none: 'No contract with an operator is set (OP1_INSTALLATIONS): live payments are refused',
    columns: {
      rail: 'Contract',
      side: 'Side',
      state: 'State',
      float: 'Our money there',
      read: 'Read',
      answer: 'Last answer',
    },
    states: { works: 'works', silent: 'silent', refuses: 'refuses us' },
    sides: { collect: 'collections', disburse: 'payouts' },
    low: 'low',
    all: 'All contracts',
  },
}
