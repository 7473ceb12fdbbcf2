import { assert } from '../platform/assert.ts'

// Fastify asks for one when a route has a schema of its own, and ours have none.
const unwanted = () => assert(false, 'no route is declared with a schema for Fastify') as never

/**
 * Endpoints judge what they are sent and write what they answer by themselves. Told nothing, Fastify loads two compilers and a
 * validator at every start, a tenth of its time, and uses none of them.
 */
export const NO_COMPILERS = { buildValidator: unwanted, buildSerializer: unwanted }
