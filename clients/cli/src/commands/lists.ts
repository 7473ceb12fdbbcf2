import type { Gateway } from '../../../typescript/src/gateway-client.ts'
import type { Call, Command, Given, Options } from '../command.ts'
import {
  charges,
  deliveries,
  events,
  MOST_ROWS_OF_PAGE,
  type Page,
  payouts,
  type Resource,
  refunds,
} from '../resources.ts'
import { openSession } from '../session.ts'
import { printObject, printTable } from '../table.ts'

export type Query = Record<string, string | number>

const DEFAULT_ROWS = 20
const MOST_ROWS = 10_000
// A filter that few rows pass has pages with none.
const MOST_PAGES = 200

function commandsOf<Row>(resource: Resource<Row>): Command[] {
  const { plural } = resource
  return [
    {
      words: `${plural} list`,
      summary: `list ${resource.summary}`,
      options: listOptionsOf(resource),
      run: (call) => printList(resource, call, queryOf(resource, call.given)),
    },
    getCommandOf(resource, plural),
  ]
}

const expandOptionOf = ({ expands }: Pick<Resource<never>, 'expands'>): Options =>
  expands === undefined ? {} : { expand: { value: 'A,B', help: `shows ${expands} with it` } }

/** The options of a command that lists: how many rows, and the filters of the API. */
export const listOptionsOf = (resource: Pick<Resource<never>, 'filters' | 'expands'>): Options => ({
  limit: { value: 'N', help: `at most so many rows, ${DEFAULT_ROWS} where it is absent` },
  ...Object.fromEntries(Object.entries(resource.filters).map(([name, option]) => [dashed(name), option])),
  ...expandOptionOf(resource),
})

/** The command that shows one of them by its id. */
export const getCommandOf = <Row>(resource: Resource<Row>, words: string): Command => ({
  words: `${words} get`,
  args: resource.id,
  summary: `show one ${resource.noun}`,
  options: expandOptionOf(resource),
  run: async ({ terminal, environment, given }) => {
    const { gateway } = openSession(environment)
    const expanded = given.text('expand')
    const found = await resource.get(gateway, given.args[0] ?? '', expanded === undefined ? {} : { expand: expanded })
    if (terminal.json) terminal.out(JSON.stringify(found))
    else printObject(terminal, found)
    return 0
  },
})

/** Prints as many rows as are asked for, and how to go on. */
export async function printList<Row>(
  resource: Resource<Row>,
  { terminal, environment, given }: Call,
  query: Query,
): Promise<number> {
  const wanted = given.whole('limit', { fallback: DEFAULT_ROWS, most: MOST_ROWS })
  const { gateway } = openSession(environment)
  const { rows, page } = await readRows(resource, { gateway, wanted, query })
  for (const name of page.lastResponse.ignored) terminal.note(`the service does not know ${name}`)
  const { has_more, next_cursor } = page
  if (terminal.json) terminal.out(JSON.stringify({ object: 'list', data: rows, has_more, next_cursor }))
  else if (rows.length === 0) terminal.note(`there are no such ${resource.plural}`)
  else printTable(terminal, resource.columns, rows)
  if (!terminal.json && has_more) terminal.note(`there are more: --limit, or ${directionOf(given)} ${next_cursor}`)
  return 0
}

const directionOf = (given: Given) => (given.has('ending-before') ? '--ending-before' : '--starting-after')

/** Reads pages until there are enough rows. */
async function readRows<Row>(
  resource: Resource<Row>,
  { gateway, wanted, query }: { gateway: Gateway; wanted: number; query: Query },
): Promise<{ rows: Row[]; page: Page<Row> }> {
  const cursor = 'ending_before' in query ? 'ending_before' : 'starting_after'
  const rows: Row[] = []
  for (let pages = 1; ; pages += 1) {
    const limit = Math.min(wanted - rows.length, MOST_ROWS_OF_PAGE)
    const page = await resource.list(gateway, { ...query, limit })
    rows.push(...page.data)
    const enough = rows.length >= wanted || pages === MOST_PAGES
    if (enough || !page.has_more || page.next_cursor === null) return { rows, page }
    query = { ...query, [cursor]: page.next_cursor }
  }
}

/** The filters that were given, by their names in the API. */
export function queryOf({ filters, expands }: Pick<Resource<never>, 'filters' | 'expands'>, given: Given): Query {
  const names = [...Object.keys(filters), ...(expands === undefined ? [] : ['expand'])]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given.text(dashed(name))
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const dashed = (name: string) => name.replaceAll('_', '-')

export const LIST_COMMANDS: readonly Command[] = [
  ...commandsOf(charges),
  ...commandsOf(payouts),
  ...commandsOf(refunds),
  ...commandsOf(events),
  ...commandsOf(deliveries),
]
