import { DatabaseAway } from '../errors.ts'
import type { ServerPlace } from './server-address.ts'

type SearchOptions = {
  places: readonly ServerPlace[]
  /** Throws when this server does not answer or takes no writes. */
  examine(place: ServerPlace): Promise<void>
}
type Search = SearchOptions & { over: boolean; refusals: Map<ServerPlace, unknown> }

// Less than opening a connection may take, so that whoever waits hears what was found and not that time is over.
const SEARCH_MS = 1500
// A server that has just refused: it may be promoted any moment, and a question costs it a connection.
const ASK_AGAIN_MS = 100

/**
 * Asks all servers at once and returns the first that takes writes. While one is silent the others are asked again and again: one of them
 * may be promoted in its place. Throws as soon as each has refused, after a second and a half at the latest: DatabaseAway that says what
 * each one said, or what all of them said when waiting would not change it, such as a wrong password.
 */
export function findServer(options: SearchOptions): Promise<ServerPlace> {
  const search: Search = { ...options, over: false, refusals: new Map() }
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => {
      if (search.over) return
      search.over = true
      clearTimeout(timer)
      finish()
    }
    const fail = () => end(() => reject(describeRefusals(search)))
    const timer = setTimeout(fail, SEARCH_MS)
    for (const place of search.places)
      void askAgain(search, place, fail).then((takesWrites) => {
        if (takesWrites) end(() => resolve(place))
      })
  })
}

/** Asks until the search is over. Returns whether this server takes writes. */
async function askAgain(search: Search, place: ServerPlace, fail: () => void): Promise<boolean> {
  while (!search.over) {
    try {
      await search.examine(place)
      return true
    } catch (error) {
      search.refusals.set(place, error)
    }
    if (search.refusals.size === search.places.length) fail()
    else await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
  return false
}

function describeRefusals({ places, refusals }: Search): unknown {
  const errors = [...refusals.values()]
  const lasting = errors.find((error) => !(error instanceof DatabaseAway))
  if (
    lasting !== undefined &&
    errors.length === places.length &&
    errors.every((error) => !(error instanceof DatabaseAway))
  )
    return lasting
  const said = places.map((place) => `${place.host}:${place.port} ${describe(refusals.get(place))}`)
  return new DatabaseAway(new Error(`no server takes writes now (${said.join('; ')})`))
}

const describe = (error: unknown) => {
  if (error === undefined) return 'is silent'
  if (error instanceof DatabaseAway && error.cause instanceof Error) return `says: ${error.cause.message}`
  return `says: ${error instanceof Error ? error.message : String(error)}`
}
