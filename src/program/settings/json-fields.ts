import { WrongSettings } from './setting-readers.ts'

/** Reads the fields of a JSON object of settings. Every error names the field by its path. */
export type JsonFields = {
  /** A text that is not empty. */
  text(name: string, byDefault?: string): string
  flag(name: string, byDefault: boolean): boolean
  /** A number within bounds. */
  number(name: string, bounds: { low: number; high: number; whole?: boolean }, byDefault: number): number
  numberOrNull(name: string, bounds: { low: number; high: number }, byDefault: number | null): number | null
  /** A nested object, or null when the field is absent or null. */
  object<T>(name: string, read: (fields: JsonFields) => T): T | null
  /** A text, or the text of the environment variable that `{"env": NAME}` names. */
  secret(name: string): string
  names(): string[]
  /** Throws for fields that were not read. */
  done(): void
  wrong(name: string, says: string): WrongSettings
}

export type Environment = Record<string, string | undefined>

export function readJsonFields(json: unknown, path: string, environment: Environment): JsonFields {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new WrongSettings(`${path} must be an object`)
  const own = json as Record<string, unknown>
  const read = new Set<string>()
  const wrong = (name: string, says: string) => new WrongSettings(`${path}.${name} ${says}`)
  const take = (name: string): unknown => {
    read.add(name)
    return Object.hasOwn(own, name) ? own[name] : undefined
  }
  const text = (name: string, byDefault?: string) => {
    const value = take(name) ?? byDefault
    if (typeof value !== 'string' || value.trim() === '') throw wrong(name, 'must be a text')
    return value
  }
  const inBounds = (name: string, value: unknown, bounds: { low: number; high: number; whole?: boolean }) => {
    const { low, high, whole = true } = bounds
    const isValid = typeof value === 'number' && (whole ? Number.isSafeInteger(value) : Number.isFinite(value))
    if (!isValid || value < low || value > high)
      throw wrong(name, `must be a ${whole ? 'whole ' : ''}number from ${low} to ${high}`)
    return value
  }
  return {
    text,
    flag(name, byDefault) {
      const value = take(name) ?? byDefault
      if (typeof value !== 'boolean') throw wrong(name, 'must be true or false')
      return value
    },
    number: (name, bounds, byDefault) => inBounds(name, take(name) ?? byDefault, bounds),
    numberOrNull(name, bounds, byDefault) {
      const field = take(name)
      const value = field === undefined ? byDefault : field
      return value === null ? null : inBounds(name, value, bounds)
    },
    object(name, readInner) {
      const value = take(name)
      if (value === undefined || value === null) return null
      const fields = readJsonFields(value, `${path}.${name}`, environment)
      const inner = readInner(fields)
      fields.done()
      return inner
    },
    secret(name) {
      const variable = parseEnvName(take(name))
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

/** The variable named by `{"env": "NAME"}` or `"env:NAME"`; null for a plain value. */
function parseEnvName(value: unknown): string | null {
  if (typeof value === 'string') return /^env:(\w+)$/.exec(value)?.[1] ?? null
  if (typeof value !== 'object' || value === null) return null
  const { env, ...rest } = value as { env?: unknown }
  return typeof env === 'string' && Object.keys(rest).length === 0 ? env : null
}
