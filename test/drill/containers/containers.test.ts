import { test } from 'node:test'
import { passes } from './run-drill.ts'

test('the release runs in containers, is upgraded while it is paid, and loses nothing when its database is away', (t) =>
  passes(t, 'containers'))
