import { type TSchema, Type } from 'typebox'
import { badRequest } from '../../platform/refusal.ts'
import type { Action } from '../access/actions.ts'
import type { Caller } from '../access/actor.ts'
import { requireRole } from '../access/allow.ts'
import type { ApiRequest, Endpoint } from './endpoint.ts'

/** What an answer shows of an object, before it is JSON. */
type ShownObject = Record<string, unknown>

/**
 * An object that others name by its id. `field`: where they name it. `action`: what a key must be allowed to see it. `find`: the views of
 * those of these ids that the caller may see, by id.
 */
export type Expansion<App> = {
  field: string
  action: Action
  find(app: App, caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>
}
/** By the name of the member that shows the object. */
export type Expansions<App> = Readonly<Record<string, Expansion<App>>>

/** The schema of a member that is there only where the request expands it: a component of this name, or null. */
export const expandedMember = (component: string) =>
  Type.Optional(
    Type.Unsafe<unknown>({
      anyOf: [{ $ref: `#/components/schemas/${component}` }, { type: 'null' }],
      description: 'only where the request asks for it by `expand`',
    }),
  )

/** Lets the reads of objects and their lists take `expand`. `table`: the expansions of each path of a list; that of one object is `path/:id`. */
export function withExpansions<App>(
  endpoints: readonly Endpoint<App>[],
  table: Readonly<Record<string, Expansions<App>>>,
): Endpoint<App>[] {
  return endpoints.map((endpoint) => {
    const expansions = endpoint.method === 'GET' ? table[endpoint.path.replace(/\/:id$/, '')] : undefined
    return expansions === undefined ? endpoint : expandable(endpoint, expansions)
  })
}

function expandable<App>(endpoint: Endpoint<App>, expansions: Expansions<App>): Endpoint<App> {
  return {
    ...endpoint,
    query: Type.Object({ ...propertiesOf(endpoint.query), expand: expandQuery(Object.keys(expansions)) }),
    handle: async (app, request) => {
      const names = parseExpand(request.query.expand, expansions)
      for (const [, { action }] of names) requireRole(request.caller, action)
      if (names.length === 0) return endpoint.handle(app, request)
      return endpoint.handle(app, { ...request, expand: (views) => expandAll(app, request, { names, views }) })
    },
  }
}

const propertiesOf = (schema: TSchema | undefined) =>
  (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}

const expandQuery = (names: readonly string[]) =>
  Type.Optional(
    Type.String({
      examples: [names.join(',')],
      description: `shows the objects that the answer names, in members of these names, with commas: \`${names.join(',')}\``,
    }),
  )

function parseExpand<App>(text: string | undefined, expansions: Expansions<App>): [string, Expansion<App>][] {
  if (text === undefined) return []
  return [...new Set(text.split(','))].map((name) => {
    const expansion = Object.hasOwn(expansions, name) ? expansions[name] : undefined
    if (expansion === undefined)
      throw badRequest(`expand must be of: ${Object.keys(expansions).join(', ')}`, { field: 'expand' })
    return [name, expansion]
  })
}

/** One read for each name, whatever the number of rows. */
async function expandAll<App>(
  app: App,
  { caller }: Pick<ApiRequest, 'caller'>,
  { names, views }: { names: [string, Expansion<App>][]; views: readonly ShownObject[] },
): Promise<void> {
  for (const [name, { field, find }] of names) {
    const ids = [...new Set(views.flatMap((view) => (typeof view[field] === 'string' ? [view[field]] : [])))]
    const found = ids.length === 0 ? new Map<string, unknown>() : await find(app, caller, ids)
    for (const view of views) view[name] = found.get(view[field] as string) ?? null
  }
}
