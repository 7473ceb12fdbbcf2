import { WrongSettings } from './setting-readers.ts'

/** Reads the fields of a JSON object of settings. Every complaint names the field by its path. */
export type Fields = {
  /** A text that is not empty. */
  text(name: string, byDefault?: string): string
  flag(name: string, byDefault: boolean): boolean
  /** A number within bounds. */
  number(name: string, bounds: { low: number; high: number; whole?: boolean }, byDefault: number): number
  numberOrNull(name: string, bounds: { low: number; high: number }, byDefault: number | null): number | null
  /** An object inside, or null when the field is absent or null. */
  object<T>(name: string, read: (fields: Fields) => T): T | null
  /** A text, or the text of the environment variable that `{"env": NAME}` names. */
  secret(name: string): string
  names(): string[]
  /** Refuses fields that nobody has read. */
  done(): void
  wrong(name: string, says: string): WrongSettings
}

export type Environment = Record<string, string | undefined>

export function fieldsOf(value: unknown, path: string, environment: Environment): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WrongSettings(`${path} must be an object`)
  const own = value as Record<string, unknown>
  const read = new Set<string>()
  const wrong = (name: string, says: string) => new WrongSettings(`${path}.${name} ${says}`)
  const take = (name: string): unknown => {
    read.add(name)
    return Object.hasOwn(own, name) ? own[name] : undefined
  }
  const text = (name: string, byDefault?: string) => {
    const found = take(name) ?? byDefault
    if (typeof found !== 'string' || found.trim() === '') throw wrong(name, 'must be a text')
    return found
  }
  const inside = (name: string, found: unknown, bounds: { low: number; high: number; whole?: boolean }) => {
    const { low, high, whole = true } = bounds
    const isOne = typeof found === 'number' && (whole ? Number.isSafeInteger(found) : Number.isFinite(found))
    if (!isOne || found < low || found > high)
      throw wrong(name, `must be a ${whole ? 'whole ' : ''}number from ${low} to ${high}`)
    return found
  }
  return {
    text,
    flag(name, byDefault) {
      const found = take(name) ?? byDefault
      if (typeof found !== 'boolean') throw wrong(name, 'must be true or false')
      return found
    },
    number: (name, bounds, byDefault) => inside(name, take(name) ?? byDefault, bounds),
    numberOrNull(name, bounds, byDefault) {
      const given = take(name)
      const found = given === undefined ? byDefault : given
      return found === null ? null : inside(name, found, bounds)
    },
    object(name, readInner) {
      const found = take(name)
      if (found === undefined || found === null) return null
      const fields = fieldsOf(found, `${path}.${name}`, environment)
      const inner = readInner(fields)
      fields.done()
      return inner
    },
    secret(name) {
      const found = take(name)
      const variable = variableIn(found)
      if (variable === null) return text(name)
      const secret = environment[variable]?.trim()
      if (!secret) throw wrong(name, `names the environment variable ${variable}, which is not set`)
      return secret
    },
    names: () => Object.keys(own),
    done() {
      const unknown = Object.keys(own).filter((name) => !read.has(name))
      if (unknown.length > 0) throw new WrongSettings(`${path} has no setting called ${unknown.join(', ')}`)
    },
    wrong,
  }
}

/** The name in `{"env": "NAME"}` or `"env:NAME"`, null for a value in its place. */
function variableIn(value: unknown): string | null {
  if (typeof value === 'string') return /^env:(\w+)$/.exec(value)?.[1] ?? null
  if (typeof value !== 'object' || value === null) return null
  const { env, ...rest } = value as { env?: unknown }
  return typeof env === 'string' && Object.keys(rest).length === 0 ? env : null
}
