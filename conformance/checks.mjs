// What was looked at and what came out, one line each.
import { isDeepStrictEqual } from 'node:util'

const failures = []
let passed = 0

/** Compares what a client says with what it should say, and goes on. */
export async function check(name, expected, ask) {
  const actual = await Promise.resolve()
    .then(ask)
    .catch((error) => `threw ${error.name}: ${error.message}`)
  if (isDeepStrictEqual(actual, expected)) passed += 1
  else failures.push(`${name}: ${JSON.stringify(actual)} and not ${JSON.stringify(expected)}`)
}

/** The name of the error that a call ends with. */
export const refusalOf = (call) =>
  call.then(
    (value) => `no refusal but ${JSON.stringify(value)}`,
    (error) => error.name,
  )

export function report() {
  for (const failure of failures) console.log(`not ok  ${failure}`)
  console.log(`${passed} checks passed, ${failures.length} failed`)
  return failures.length === 0
}
