import { assert } from '../../platform/assert.ts'

// Fastify asks for a compiler when a route has a schema of its own, and ours have none.
const unwanted = () => assert(false, 'no route is declared with a schema for Fastify') as never

/**
 * Switches Fastify's schema compilers off: endpoints check requests and write answers themselves. By default Fastify loads two compilers
 * and a validator at every start, a tenth of its time, and would use none of them.
 */
export const NO_COMPILERS = { buildValidator: unwanted, buildSerializer: unwanted }
