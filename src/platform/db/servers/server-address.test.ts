import { deepEqual, equal, throws } from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { formatPlace, parsePlace, readServerAddress } from './server-address.ts'

const placesOf = (url: string) => readServerAddress(url).places.map(({ host, port }) => `${host} ${port}`)

test('several servers stand in the place of the host or behind the question mark, each with its port', () => {
  const several: Record<string, string[]> = {
    'postgres://u:p@a:1,b:2,c/gateway': ['a 1', 'b 2', 'c 5432'],
    'postgresql://u@[::1]:5433,[fe80::2]/gateway?sslmode=verify-full': ['::1 5433', 'fe80::2 5432'],
    'postgres://u:p%40%2C@/gateway?host=a,b&port=6432': ['a 6432', 'b 6432'],
    'postgres://u:p@/gateway?host=/run/one,/run/other&port=5432,5433': ['/run/one 5432', '/run/other 5433'],
    'postgres://u@a,b/gateway?target_session_attrs=primary': ['a 5432', 'b 5432'],
  }
  for (const [url, places] of Object.entries(several)) {
    deepEqual(placesOf(url), places, url)
    equal(readServerAddress(url).writes, true, url)
  }
})

test('the driver reads everything but the other servers from the address of the first one', () => {
  const { first, user } = readServerAddress(
    'postgres://gate%20way:p%40s%2Cs@a:1,b:2/books?application_name=x%20y&target_session_attrs=read-write',
  )
  const client = new pg.Client({ connectionString: first })
  deepEqual([client.host, client.port, client.user, client.password], ['a', 1, 'gate way', 'p@s,s'])
  equal(client.database, 'books')
  equal(user, 'gate way')
})

test('one server is read as before, and must take writes only where the address says so', () => {
  const url = 'postgres://gateway_login:pw@localhost/gateway?host=/run/postgresql'
  deepEqual(readServerAddress(url), {
    ...{ first: url, places: [{ host: '/run/postgresql', port: 5432 }] },
    ...{ writes: false, user: 'gateway_login' },
  })
  equal(readServerAddress('postgres://u@moves/gateway?target_session_attrs=read-write').writes, true)
  equal(readServerAddress('postgres://u@moves/gateway?target_session_attrs=any').writes, false)
})

test('a wrong address is refused with a sentence', () => {
  const wrong: Record<string, RegExp> = {
    'mysql://u@a/gateway': /must be postgres:\/\/user:password@host:port\/database; several servers/,
    'postgres://u@a:1,/gateway': /names a server without a host/,
    'postgres://u@a:1,b:x/gateway': /must be postgres:\/\/user:password@host:port\/database/,
    'postgres://u@a:1,b:70000/gateway': /has the port 70000: it must be from 1 to 65535/,
    'postgres://u@/gateway?host=a,b&port=1,2,3': /names 2 servers and 3 ports: give one port for all, or one for each/,
    'postgres://u@a,b/gateway?target_session_attrs=any': /has target_session_attrs=any, and must have read-write/,
    'postgres://u@a/gateway?target_session_attrs=standby': /has target_session_attrs=standby, and must have read-write/,
    'postgres://u@a,b/gateway?sslrootcert=/nowhere.crt': /cannot be used: ENOENT.*nowhere/,
  }
  for (const [url, says] of Object.entries(wrong)) throws(() => readServerAddress(url), says, url)
})

test('a place is a host, with or without a port', () => {
  for (const [text, host, port] of [
    ['10.0.0.3:5433', '10.0.0.3', 5433],
    ['w1.db.internal', 'w1.db.internal', 5432],
    ['[::1]:6000', '::1', 6000],
  ] as const)
    deepEqual(parsePlace(text), { host, port })
  for (const text of ['', ':5432', 'a:b', 'a:0', 'a:70000']) equal(parsePlace(text), null, text)
  deepEqual([formatPlace({ host: '10.0.0.3', port: 5433 }), formatPlace(null)], ['10.0.0.3:5433', null])
})
