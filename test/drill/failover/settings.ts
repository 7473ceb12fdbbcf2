import { join } from 'node:path'
import { findServerPrograms } from '../debian-servers.ts'

/** Where one host of the cluster listens: its own ports, and those by which all others reach it. */
export type HostPlace = {
  name: string
  folder: string
  postgres: number
  rest: number
  /** What the others use, and what it uses itself to reach etcd: wires that can be cut. */
  wires: { postgres: number; rest: number; etcd: number }
}

// The shortest time to live that Patroni takes. The others follow from it: loop_wait + 2 x retry_timeout may not be more.
export const PATRONI = { ttl: 20, loop_wait: 5, retry_timeout: 5 }
export const HAPROXY = { inter: '500ms', fall: 2, rise: 1 }
export const SCOPE = 'gateway'
export const SUPERUSER = 'postgres'

/** The settings of Patroni on one host, which its YAML reader reads as JSON. */
export const patroniSettings = ({ name, folder, postgres, rest, wires }: HostPlace) => ({
  ...{ scope: SCOPE, name },
  restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${wires.rest}` },
  // As a proxy: it would otherwise go past the wire, to the address that etcd says of itself.
  etcd3: { hosts: [`127.0.0.1:${wires.etcd}`], use_proxies: true },
  bootstrap: {
    dcs: {
      ...PATRONI,
      ...{ synchronous_mode: true, synchronous_mode_strict: true, failsafe_mode: true },
      postgresql: {
        use_pg_rewind: true,
        use_slots: true,
        parameters: { max_connections: 120, wal_keep_size: '256MB' },
      },
    },
    initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
  },
  postgresql: {
    ...{ listen: `127.0.0.1:${postgres}`, connect_address: `127.0.0.1:${wires.postgres}`, use_unix_socket: true },
    ...{ data_dir: join(folder, 'data'), bin_dir: findServerPrograms(), pgpass: join(folder, 'pgpass') },
    authentication: { superuser: { username: SUPERUSER }, replication: { username: 'replicator' } },
    parameters: { unix_socket_directories: folder },
    pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
  },
})

/** The settings of HAProxy: one address that leads to the host of which Patroni says that it is the primary. */
export const haproxySettings = (port: number, hosts: readonly HostPlace[]) => `
defaults
  mode tcp
  timeout connect 1s
  timeout client 30m
  timeout server 30m
  timeout check 2s

listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter ${HAPROXY.inter} fall ${HAPROXY.fall} rise ${HAPROXY.rise} on-marked-down shutdown-sessions
${hosts.map(({ name, wires }) => `  server ${name} 127.0.0.1:${wires.postgres} check port ${wires.rest}`).join('\n')}
`
