import { Type } from 'typebox'
import { invalidCursor, LIST_QUERY, parseListWindow } from '../../api/http/lists/lists.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { newStoryLine, readRailStory, type StoryLine, StoryLineShape } from '../../rails/movement-story.ts'

/** The facts of the movement itself. `changes` are its moves from one status to the next, each with its number or reason and its summary. */
export type StoryMovement = {
  merchantId: number
  id: string
  createdAt: Date
  changes: readonly { at: Date | null; status: string; about: string | null; summary: string }[]
}
type TimelineMovement = StoryMovement & { nextCheckAt: Date | null }

// Its lines have no ids, so nobody can name one that others are to be newer than.
export const TIMELINE_QUERY = Type.Object({ limit: LIST_QUERY.limit, starting_after: LIST_QUERY.starting_after })
export const TimelineShape = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(StoryLineShape),
    has_more: Type.Boolean(),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    next_check_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'when the operator is asked next; null once it has ended',
    }),
  },
  { $id: 'Timeline' },
)

const EXCEPTIONS = statement<{ id: string; kind: string; openedAt: Date; closedAt: Date | null }>(
  'exceptions of movement',
  `select id, kind, opened_at as "openedAt", closed_at as "closedAt" from exceptions
   where merchant_id = $1 and subject = $2 order by opened_at limit 100`,
)

type TimelineQuery = Readonly<Record<string, string | undefined>>

/** Presents one page of the story of a movement, newest first (rails.md 4.8). Throws Refusal for a cursor that is none of its lines. */
export async function presentTimeline(app: App, movement: TimelineMovement, query: TimelineQuery) {
  const { limit, startingAfter } = parseListWindow({ limit: query.limit, starting_after: query.starting_after })
  const lines = await readMovementStory(app, movement)
  const from = startingAfter === null ? 0 : lines.findIndex(({ key }) => key === startingAfter) + 1
  if (startingAfter !== null && from === 0) throw invalidCursor()
  const data = lines.slice(from, from + limit)
  const hasMore = from + limit < lines.length
  return {
    object: 'list' as const,
    data: data.map(presentLine),
    has_more: hasMore,
    next_cursor: hasMore ? (data.at(-1)?.key ?? null) : null,
    next_check_at: movement.nextCheckAt?.toISOString() ?? null,
  }
}

/** Reads the whole story of a movement, newest first. */
export async function readMovementStory(
  app: App,
  { merchantId, id, createdAt, changes }: StoryMovement,
): Promise<StoryLine[]> {
  const [rail, exceptions] = await Promise.all([
    readRailStory(app, { merchantId, id }),
    app.db.query(EXCEPTIONS, [merchantId, id]),
  ])
  const moved = changes.flatMap(({ at, status: word, about, summary }, nth) =>
    at === null ? [] : [newStoryLine({ key: `changed-${nth}`, at, kind: 'changed', word, about, summary })],
  )
  const opened = exceptions.flatMap(({ id: exception, kind, openedAt, closedAt }) => [
    newStoryLine({
      ...{ key: `${exception}-opened`, at: openedAt, kind: 'exception', word: kind },
      summary: `a person looks at it: ${kind.replaceAll('_', ' ')}`,
    }),
    ...(closedAt === null
      ? []
      : [
          newStoryLine({
            ...{ key: `${exception}-closed`, at: closedAt, kind: 'exception', word: 'resolved' },
            summary: 'a person has resolved it',
          }),
        ]),
  ])
  const created = { key: 'created', at: createdAt, kind: 'created', word: 'created', summary: 'created' } as const
  return [newStoryLine(created), ...rail, ...moved, ...opened].sort(newestFirst)
}

// Order of lines of one moment: the consequence stands above its cause.
const ORDER: readonly StoryLine['kind'][] = [
  'exception',
  'changed',
  'question',
  'callback',
  'answer',
  'sent',
  'created',
]
const newestFirst = (a: StoryLine, b: StoryLine): number =>
  b.at.getTime() - a.at.getTime() || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)

const presentLine = ({ at, kind, summary, httpStatus, operatorCode, digest, repeated }: StoryLine) => ({
  at: at.toISOString(),
  kind,
  summary,
  ...(httpStatus === null ? {} : { http_status: httpStatus }),
  ...(operatorCode === null ? {} : { operator_code: operatorCode }),
  ...(digest === null ? {} : { digest }),
  repeated,
})
