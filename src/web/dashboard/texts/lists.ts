const NUMBER_FORMAT = new Intl.NumberFormat('en-US')

/** What stands around every list: totals, files, saved views. */
export const LISTS = {
  totals: {
    count: (count: number) => `${NUMBER_FORMAT.format(count)} ${count === 1 ? 'row' : 'rows'}`,
    more: (count: number) => `More than ${NUMBER_FORMAT.format(count)} rows`,
    narrow: 'Narrow the filters to see what they come to.',
    paid: (count: number) => `${NUMBER_FORMAT.format(count)} paid:`,
    fees: 'fees:',
    others: (count: number) => `${NUMBER_FORMAT.format(count)} not paid or under way:`,
  },
  export: 'Download CSV',
  exportForPrograms: 'For programs',
  views: {
    title: 'Saved views',
    name: 'Name of this view',
    hint: 'Only you see it, in this mode. The same name again replaces it.',
    save: 'Save these filters',
    saved: (name: string) => `The view ${name} is saved.`,
    remove: (name: string) => `Remove the view ${name}`,
    removed: 'The view is removed.',
    nothing: 'Filter the list first: there is nothing to save yet.',
  },
}
