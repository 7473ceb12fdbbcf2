import { addCell } from '../../operations/cells/add-cell.ts'
import { type CellFacts, listCells } from '../../operations/cells/list-cells.ts'
import { type CellMove, drainNode, moveCell, placeSchema } from '../../operations/cells/place-cell.ts'
import { formatPlace, parsePlace, type ServerPlace } from '../../platform/db/servers/server-address.ts'
import { command } from './frame/command.ts'
import { type CommandInput, findText, requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const list = command({
  usage: 'cells list',
  says: 'all cells: the node of each, its merchants, its size, and for how many more it has room; on a cluster the node of the directory too',
  async run({ gateway }) {
    const cells = await listCells(gateway)
    const directory = formatPlace(gateway.nodes?.nodeOf('directory') ?? null)
    const lines = cells.map(formatCell)
    return { json: cells, lines: directory === null ? lines : [`${'directory'.padEnd(12)}${directory}`, ...lines] }
  },
})

const create = command({
  usage: 'cells create [CELL] [--node HOST:PORT]',
  says: 'make a cell; the same again finishes what was cut off',
  async run(input) {
    const { gateway, actor, opened, words } = input
    const { login } = opened
    const made = await addCell(gateway, actor, {
      ...{ owner: ownerOf(input), name: words[0] ?? null, node: findNode(input, 'node'), login },
    })
    const says = made.added
      ? `${made.name} is made; processes take it up within seconds, and new merchants come to it when CELL_MERCHANTS says so`
      : `${made.name} was there already`
    return { json: made, lines: [says] }
  },
})

const place = command({
  usage: 'cells place [CELL] [--node HOST:PORT]',
  says: 'make the directory or a cell a schema of Citus, on a node; its payments wait while it is copied',
  async run(input) {
    const { gateway, actor } = input
    const schema = requireCell(input)
    const placed = await placeSchema(gateway, actor, {
      ...{ owner: ownerOf(input), schema, node: findNode(input, 'node') },
    })
    const moved = placed.move === null ? [] : formatMove(placed.move)
    return {
      json: { cell: schema, node: placed.node, move: presentMove(placed.move) },
      lines: [...moved, `${schema} lies on ${placed.node}`],
    }
  },
})

const move = command({
  usage: 'cells move [CELL] --to HOST:PORT',
  says: 'move the directory or a cell to another node while payments go on',
  async run(input) {
    const { gateway, actor } = input
    const schema = requireCell(input)
    requireText(input, 'to')
    const node = findNode(input, 'to')
    if (node === null) throw new WrongUsage('--to is required')
    const made = await moveCell(gateway, actor, { owner: ownerOf(input), schema, node })
    if (made === null) return { json: null, lines: [`${schema} lies there already`] }
    return { json: presentMove(made), lines: formatMove(made) }
  },
})

const drain = command({
  usage: 'cells drain [NODE]',
  says: 'move everything off a node (HOST:PORT), and place nothing more there',
  async run(input) {
    const { gateway, actor, words } = input
    const node = parseNode('the node', words[0] ?? '')
    const { moves, closed } = await drainNode(gateway, actor, { owner: ownerOf(input), node })
    return {
      json: { moves: moves.map(presentMove), closed },
      lines: [...moves.flatMap(formatMove), ...describeDrained(node, closed)],
    }
  },
})

/** What is left to do with SQL. */
function describeDrained({ host, port }: ServerPlace, closed: boolean): string[] {
  const property = (takes: boolean) =>
    `select citus_set_node_property('${host}', ${port}, 'shouldhaveshards', ${takes})`
  return closed
    ? [`nothing lies on ${host}:${port} any more, and nothing comes there; to use it again: ${property(true)}`]
    : [
        `nothing lies on ${host}:${port} any more; so that no new cell comes there run as a superuser: ${property(false)}`,
      ]
}

export const cellCommands = [list, create, place, move, drain]

const ownerOf = ({ opened, say }: CommandInput) => ({ ownerUrl: opened.ownerUrl, say })

function requireCell({ words }: CommandInput): string {
  const [name] = words
  if (name === undefined) throw new WrongUsage('say which cell, or "directory"')
  return name
}

function findNode(input: CommandInput, option: string) {
  const text = findText(input, option)
  return text === undefined ? null : parseNode(`--${option}`, text)
}

function parseNode(what: string, text: string) {
  const place = parsePlace(text)
  if (place === null) throw new WrongUsage(`${what} must be HOST:PORT, as "select * from pg_dist_node" names it`)
  return place
}

const MEGABYTE = 1024 * 1024

const formatCell = ({ cell, node, merchants, bytes, room }: CellFacts) =>
  [
    cell.padEnd(12),
    (node ?? 'the database server').padEnd(28),
    `${merchants} merchants`.padEnd(20),
    (bytes === null ? 'does not answer' : `${Math.ceil(bytes / MEGABYTE)} MB`).padEnd(16),
    room === null ? 'room without a limit' : `room for ${room}`,
  ].join('')

const presentMove = (move: CellMove | null) =>
  move === null
    ? null
    : { cell: move.schema, from: move.from, to: move.to, pause_ms: move.pauseMs, hindrance: move.hindrance }

const formatMove = ({ schema, from, to, pauseMs, hindrance }: CellMove): string[] => [
  `${schema} moved from ${from ?? 'the coordinator'} to ${to}; a write to it waited ${pauseMs} ms at most`,
  ...(hindrance === null ? [] : [`it waited for the whole copy, because ${hindrance}`]),
]
