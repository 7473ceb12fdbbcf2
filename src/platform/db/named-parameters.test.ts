import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { numberParameters } from './named-parameters.ts'

test('names become numbers in the order in which they appear, each name one number', () => {
  deepEqual(numberParameters('select id from charges where id = :id and (:status::text is null or status = :status)'), {
    text: 'select id from charges where id = $1 and ($2::text is null or status = $2)',
    parameters: ['id', 'status'],
  })
})

test('an order that is given comes first, without the names that the statement does not use', () => {
  deepEqual(numberParameters('select :b, :c, :a', ['a', 'unused', 'b']), {
    text: 'select $2, $3, $1',
    parameters: ['a', 'b', 'c'],
  })
})

test('casts, JSON, times and classes of characters are no names', () => {
  for (const text of [
    "select x::text, 'live'::mode, count(*)::int",
    `select '"id":null,' || "a":b`,
    "select to_char(at, 'HH24:MI:SS')",
    "select '[[:digit:]]', a[1:2]",
  ])
    deepEqual(numberParameters(text), { text })
})

test('a statement with names and numbers throws', () => {
  throws(() => numberParameters('select $1, :id'), /names its parameters or numbers them/)
})
