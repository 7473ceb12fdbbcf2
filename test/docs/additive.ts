/**
 * The promises of an earlier OpenAPI document that a later one breaks (spec 9), one a line. A tighter description of a request's
 * values (a minimum, a pattern) breaks none: the service refused such values before.
 */
export function brokenPromises(before: any, now: any): string[] {
  const broken: string[] = []
  const say = (place: string, what: string) => broken.push(`${place}: ${what}`)
  for (const [path, operations] of Object.entries<any>(before.paths))
    for (const [method, operation] of Object.entries<any>(operations)) {
      const place = `${method.toUpperCase()} ${path}`
      const later = now.paths[path]?.[method]
      if (later === undefined) say(place, 'the endpoint is gone')
      else compareOperations({ place, say, before, now }, operation, later)
    }
  for (const [event, { post }] of Object.entries<any>(before.webhooks ?? {})) {
    const later = now.webhooks?.[event]?.post
    const place = `webhook ${event}`
    if (later === undefined) say(place, 'the event is gone')
    else compareAnswers({ place, say, before, now }, bodyOf(post), bodyOf(later))
  }
  return broken
}

type Context = { place: string; say(place: string, what: string): void; before: any; now: any }

const bodyOf = (operation: any) => operation.requestBody?.content?.['application/json']?.schema

function compareOperations(context: Context, before: any, now: any): void {
  const { place, say } = context
  if (before.operationId !== now.operationId) say(place, `its name was ${before.operationId}`)
  compareParameters(context, before.parameters ?? [], now.parameters ?? [])
  compareRequests({ ...context, place: `${place} request` }, bodyOf(before), bodyOf(now))
  for (const type of Object.keys(before.requestBody?.content ?? {}))
    if (now.requestBody?.content?.[type] === undefined) say(place, `a body of ${type} is no longer described`)
  for (const [status, given] of Object.entries<any>(before.responses)) {
    const answer = follow(context.before, given)
    const later = now.responses[status]
    if (later === undefined) {
      say(place, `the status ${status} is gone`)
      continue
    }
    const there = `${place} ${status}`
    for (const [type, { schema }] of Object.entries<any>(answer.content ?? {})) {
      const same = follow(context.now, later).content?.[type] ?? documentOf(context, place, { type, status })
      if (same === undefined) say(there, `no ${type} any more`)
      else compareAnswers({ ...context, place: there }, schema, same.schema)
    }
  }
}

/** The same format of the answer under a path of its own, as with the PDF of a statement: the old path still serves it. */
function documentOf(
  { now }: Context,
  place: string,
  { type, status }: { type: string; status: string },
): any {
  const [, path] = place.split(' ')
  const own = Object.entries<any>(now.paths).find(([name]) => name.startsWith(`${path}.`))?.[1]
  return own?.get?.responses[status]?.content?.[type]
}

function compareParameters({ place, say, before, now }: Context, earlier: any[], later: any[]): void {
  for (const given of earlier) {
    const one = follow(before, given)
    const same = later.map((other) => follow(now, other)).find((other) => isSame(one, other))
    if (same === undefined) say(place, `the ${one.in} parameter ${one.name} is gone`)
  }
  for (const given of later) {
    const one = follow(now, given)
    const known = earlier.map((other) => follow(before, other)).find((other) => isSame(one, other))
    if (one.required && !known?.required)
      say(place, `the ${one.in} parameter ${one.name} has become required`)
  }
}

const isSame = (one: any, other: any) => one.name === other.name && one.in === other.in

/** Compares what clients send: everything that was accepted is still accepted. */
function compareRequests(context: Context, before: any, now: any): void {
  if (before === undefined) return
  const { place, say } = context
  const [was, is] = [follow(context.before, before), follow(context.now, now ?? {})]
  for (const type of typesOf(was))
    if (typesOf(is).length > 0 && !typesOf(is).includes(type)) say(place, `${type} is no longer taken`)
  for (const value of was.enum ?? [])
    if (is.enum !== undefined && !is.enum.includes(value)) say(place, `${value} is no longer taken`)
  for (const name of is.required ?? [])
    if (!(was.required ?? []).includes(name)) say(`${place}.${name}`, 'has become required')
  compareParts(context, [was, is], compareRequests)
}

/** Compares what clients read: every promised field is still there, and no closed list has got a new value. */
function compareAnswers(context: Context, before: any, now: any): void {
  if (before === undefined) return
  const { place, say } = context
  const [was, is] = [follow(context.before, before), follow(context.now, now ?? {})]
  for (const type of typesOf(is))
    if (typesOf(was).length > 0 && !typesOf(was).includes(type)) say(place, `may now be ${type}`)
  if (typesOf(is).length === 0 && typesOf(was).length > 0) say(place, 'its type is no longer said')
  const values = valuesOf(is)
  for (const value of valuesOf(was) ?? [])
    if (values !== null && !values.includes(value)) say(place, `the value ${value} is gone`)
  if (was.const !== undefined && was.const !== is.const && !values?.includes(was.const))
    say(place, `is no longer ${was.const}`)
  for (const name of was.required ?? [])
    if (!(is.required ?? []).includes(name)) say(`${place}.${name}`, 'is no longer always there')
  compareParts(context, [was, is], compareAnswers)
}

/** Compares what is inside two schemas: every field must still exist, and fields and items are compared in turn. */
function compareParts(context: Context, [was, is]: [any, any], compare: typeof compareAnswers): void {
  const { place, say } = context
  for (const [name, field] of Object.entries<any>(was.properties ?? {})) {
    const there = `${place}.${name}`
    if (is.properties?.[name] === undefined) say(there, 'the field is gone')
    else compare({ ...context, place: there }, field, is.properties[name])
  }
  if (was.items) compare({ ...context, place: `${place}[]` }, was.items, is.items)
}

/** The values that a schema lists, even if it also accepts others; null where it lists none. */
function valuesOf(schema: any): any[] | null {
  if (Array.isArray(schema.enum)) return schema.enum
  const listing = (schema.anyOf ?? []).filter((one: any) => Array.isArray(one.enum))
  if (listing.length === 0) return null
  const none = schema.anyOf.some((one: any) => one.type === 'null') ? [null] : []
  return [...listing.flatMap((one: any) => one.enum), ...none]
}

/** The types of a schema; of an `anyOf` the types of its choices. */
function typesOf(schema: any): string[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(typesOf)
  return schema.type === undefined ? [] : [schema.type].flat()
}

function follow(document: any, node: any): any {
  if (typeof node?.$ref !== 'string') return node
  const parts: string[] = node.$ref.slice(2).split('/')
  return follow(
    document,
    parts.reduce((place, part) => place[part], document),
  )
}
