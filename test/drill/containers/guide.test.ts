import { test } from 'node:test'
import { passes } from './run-drill.ts'

test('the guide works as it stands: on a bare machine with Node, as an image, with compose, and its upgrade', (t) =>
  passes(t, 'guide'))
