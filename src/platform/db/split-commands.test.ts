import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../processes/root.ts'
import { splitCommands } from './split-commands.ts'

test('a semicolon ends a command, except in comments, texts, names and bodies of functions', () => {
  const cases: [sql: string, commands: string[]][] = [
    ['select 1; select 2', ['select 1', 'select 2']],
    ['select 1;\n\n;-- the end; really\n', ['select 1']],
    ['-- why; so\nselect 1; /* a; b */ select 2;', ['-- why; so\nselect 1', '/* a; b */ select 2']],
    [`select ';', 'it''s; so' as "a;b"; select 2;`, [`select ';', 'it''s; so' as "a;b"`, 'select 2']],
    [
      'create function f() as $$ begin; a; end $$; create trigger t',
      ['create function f() as $$ begin; a; end $$', 'create trigger t'],
    ],
    ['do $x$ select $$;$$; $x$; select $1 - 2 / 3', ['do $x$ select $$;$$; $x$', 'select $1 - 2 / 3']],
  ]
  for (const [sql, commands] of cases) assert.deepEqual(splitCommands(sql), commands, sql)
})

test('no migration has a form that it does not know', () => {
  for (const kind of ['directory', 'cell'])
    for (const name of readdirSync(join(ROOT, 'migrations', kind))) {
      const sql = readFileSync(join(ROOT, 'migrations', kind, name), 'utf8')
      assert.doesNotMatch(sql, /\be'|\bbegin atomic\b|\/\*[^*]*\/\*/i, name)
      for (const command of splitCommands(sql)) assert.match(command.replaceAll(/^--.*\n/gm, ''), /^[a-z]/, name)
    }
})
