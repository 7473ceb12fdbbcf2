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
function documentOf({ now }: Context, place: string, { type, status }: { type: string; status: string }): any {
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
    if (one.required && !known?.required) say(place, `the ${one.in} parameter ${one.name} has become required`)
  }
}

const isSame = (one: any, other: any) => one.name === other.name && one.in === other.in

/** Compares what clients send: everything that was accepted is still accepted. */
function compareRequests(context: Context, before: any, now: any): void {
  if (before === undefined) return
  const { place, say } = context
  const [was, is] = [follow(context.before, before), follow(context.now, now ?? {})]
  const types = typesOf(context.now, is)
  for (const type of typesOf(context.before, was))
    if (types.length > 0 && !types.includes(type)) say(place, `${type} is no longer taken`)
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
  const [types, earlier] = [typesOf(context.now, is), typesOf(context.before, was)]
  for (const type of types) if (earlier.length > 0 && !earlier.includes(type)) say(place, `may now be ${type}`)
  if (types.length === 0 && earlier.length > 0) say(place, 'its type is no longer said')
  const values = valuesOf(context.now, is)
  for (const value of valuesOf(context.before, was) ?? [])
    if (values !== null && !values.includes(value)) say(place, `the value ${value} is gone`)
  if (was.const !== undefined && was.const !== is.const && !values?.includes(was.const))
    say(place, `is no longer ${was.const}`)
  const { required = [] } = objectOf(context.now, is)
  for (const name of objectOf(context.before, was).required ?? [])
    if (!required.includes(name)) say(`${place}.${name}`, 'is no longer always there')
  compareParts(context, [was, is], compareAnswers)
}

/** Compares what is inside two schemas: every field must still exist, and fields and items are compared in turn. */
function compareParts(context: Context, [before, now]: [any, any], compare: typeof compareAnswers): void {
  const { place, say } = context
  const [was, is] = [objectOf(context.before, before), objectOf(context.now, now)]
  for (const [name, field] of Object.entries<any>(was.properties ?? {})) {
    const there = `${place}.${name}`
    if (is.properties?.[name] === undefined) say(there, 'the field is gone')
    else compare({ ...context, place: there }, field, is.properties[name])
  }
  if (was.items) compare({ ...context, place: `${place}[]` }, was.items, is.items)
}

/** The words that a schema names, even if it also accepts others; null where it names none. */
function valuesOf(document: any, schema: any): any[] | null {
  const choices = choicesOf(document, schema)
  const lists = choices.flatMap((choice) => [choice.enum, choice['x-extensible-enum']]).filter(Array.isArray)
  if (lists.length === 0) return null
  return [...lists.flat(), ...(typesOf(document, schema).includes('null') ? [null] : [])]
}

/** The types of a schema; of an `anyOf` the types of its choices. */
const typesOf = (document: any, schema: any): string[] => choicesOf(document, schema).flatMap(({ type = [] }) => type)

/** What an object or null has inside. */
const objectOf = (document: any, schema: any): any =>
  choicesOf(document, schema).find((one) => one.properties !== undefined || one.items !== undefined) ?? schema

function choicesOf(document: any, schema: any): any[] {
  const { anyOf, ...one } = follow(document, schema)
  return Array.isArray(anyOf) ? anyOf.flatMap((choice) => choicesOf(document, choice)) : [one]
}

function follow(document: any, node: any): any {
  if (typeof node?.$ref !== 'string') return node
  const parts: string[] = node.$ref.slice(2).split('/')
  return follow(
    document,
    parts.reduce((place, part) => place[part], document),
  )
}
