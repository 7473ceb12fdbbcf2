import { join } from 'node:path'
import { findServerPrograms } from '../debian-servers.ts'

/** Where one host of the cluster listens: its own ports, and those by which all others reach it. */
export type HostPlace = {
  name: string
  folder: string
  /** Where the certificates of all hosts lie. */
  tls: string
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
const PASSWORD = 'drill-pass.word'
// Both the servers and HAProxy are here.
export const ADDRESS = '127.0.0.1'

/** The settings of Patroni on one host, which its YAML reader reads as JSON. */
export const patroniSettings = ({ name, folder, tls, postgres, rest, wires }: HostPlace) => ({
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
    // Otherwise Patroni calls its own server as `localhost`, which is in no certificate, and a host that comes back does not follow.
    use_unix_socket_repl: true,
    ...{ data_dir: join(folder, 'data'), bin_dir: findServerPrograms(), pgpass: join(folder, 'pgpass') },
    authentication: {
      superuser: { username: SUPERUSER, password: PASSWORD, ...verifyFull(tls) },
      replication: { username: 'replicator', password: PASSWORD, ...verifyFull(tls) },
    },
    parameters: {
      ...{ unix_socket_directories: folder, ssl: 'on', ssl_ca_file: join(tls, 'ca.crt') },
      ...{ ssl_cert_file: join(tls, `${name}.crt`), ssl_key_file: join(tls, `${name}.key`) },
    },
    // By the socket only this program comes, as the superuser.
    pg_hba: [
      ...['local all all trust', 'local replication all scram-sha-256', `hostssl all all ${ADDRESS}/32 scram-sha-256`],
      `hostssl replication all ${ADDRESS}/32 scram-sha-256`,
    ],
  },
})

const verifyFull = (tls: string) => ({ sslmode: 'verify-full', sslrootcert: join(tls, 'ca.crt') })

/** The address of the database on these servers, as the guide has it. */
export const databaseUrl = (servers: string, tls: string, database: string) =>
  `postgres://${SUPERUSER}:${PASSWORD}@${servers}/${database}?${new URLSearchParams({ target_session_attrs: 'read-write', ...verifyFull(tls) })}`

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
