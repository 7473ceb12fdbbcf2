const NUMBER = new Intl.NumberFormat('en-US')

/** Words of the page of background tasks. */
export const JOBS = {
  title: 'Jobs',
  lead: 'What the service does by itself. Every process tells of itself every five seconds.',
  processes: {
    title: 'Processes',
    none: 'No process has told of itself within an hour',
    columns: { id: 'Process', role: 'Role', started: 'Started', seen: 'Last heard' },
    state: 'State',
    alive: 'alive',
    silent: 'silent',
    noWorker: 'No worker has been heard for a minute: nothing is followed, settled or sent. Start one.',
  },
  tasks: {
    title: 'Tasks',
    none: 'No worker has run a task yet',
    columns: {
      sweep: 'Task',
      cell: 'Cell',
      state: 'State',
      last: 'Last run',
      took: 'Took',
      handled: 'Last handled',
      due: 'Oldest due row',
      lag: 'Behind',
      run: 'Now',
    },
    works: 'works',
    late: 'late',
    fails: 'fails',
    failures: (times: number) => `${NUMBER.format(times)} times in a row`,
    handled: (rows: number) => NUMBER.format(rows),
    milliseconds: (ms: number) => `${NUMBER.format(ms)} ms`,
    run: 'Run now',
    asked: (sweep: string) => `A worker runs ${sweep} within some seconds.`,
  },
  asked: {
    title: 'Asked for',
    columns: { sweep: 'Task', cell: 'Cell', by: 'By', at: 'When', state: 'State', handled: 'Handled' },
    states: { waits: 'waiting', runs: 'under way', done: 'done', failed: 'failed' },
  },
  verify: {
    title: 'Verify',
    lead: 'Every invariant of the ledger and the audit, each night at three.',
    none: 'It has not run yet',
    columns: { cell: 'Cell', at: 'When', by: 'By', rows: 'Rows', took: 'Took', result: 'Result' },
    person: 'a person',
    night: 'the night',
    holds: 'holds',
    broken: (names: string) => `broken: ${names}`,
    accepted: (id: string, count: number, names: string) =>
      `accepted by two operators: ${id}, ${NUMBER.format(count)} (${names}${count > 10 ? ', ...' : ''})`,
    unfinished: (why: string) => `not finished: ${why}`,
    seconds: (seconds: number) => `${NUMBER.format(seconds)} s`,
  },
  ages: {
    seconds: (count: number) => `${count} s`,
    minutes: (count: number) => `${count} min`,
    hours: (count: number) => `${count} h`,
    days: (count: number) => `${count} days`,
  },
}
