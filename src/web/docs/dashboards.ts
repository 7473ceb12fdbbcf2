import { METRICS, type MetricFacts } from '../../platform/log/metric-table.ts'

// Builds the dashboards of Grafana from the table of metrics: a panel for each metric, a dashboard for each group.

const PANEL_WIDTH = 12
const PANEL_HEIGHT = 8
const GRAFANA_UNITS = {
  count: 'short',
  seconds: 's',
  ratio: 'percentunit',
  UGX: 'currency:UGX',
  state: 'none',
} as const satisfies Record<MetricFacts['unit'], string>
// Panels of durations show the slowest hundredth: the slow requests matter, and an average hides them.
const SLOW_QUANTILE = 0.99

/** Builds the files of `ops/grafana`, by name. */
export function dashboardFiles(): Record<string, string> {
  const groups = [...new Set(Object.values(METRICS).map(({ panel }) => panel))]
  return Object.fromEntries(
    groups.map((group) => [`${group.toLowerCase()}.json`, `${JSON.stringify(buildDashboard(group), null, 2)}\n`]),
  )
}

function buildDashboard(group: MetricFacts['panel']) {
  const metrics = Object.entries(METRICS).filter(([, { panel }]) => panel === group)
  return {
    uid: `gateway-${group.toLowerCase()}`,
    title: `Gateway: ${group}`,
    tags: ['gateway'],
    timezone: 'Africa/Kampala',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels: metrics.map(([name, facts], index) => buildPanel(name, facts, index)),
  }
}

function buildPanel(name: string, { kind, help, labels, unit }: MetricFacts, index: number) {
  return {
    id: index + 1,
    type: 'timeseries',
    title: name,
    description: help,
    datasource: { type: 'prometheus', uid: '$' + '{datasource}' },
    gridPos: {
      x: (index % 2) * PANEL_WIDTH,
      y: Math.floor(index / 2) * PANEL_HEIGHT,
      w: PANEL_WIDTH,
      h: PANEL_HEIGHT,
    },
    fieldConfig: {
      defaults: { unit: kind === 'counter' ? 'reqps' : GRAFANA_UNITS[unit], min: 0 },
      overrides: [],
    },
    targets: [
      {
        refId: 'A',
        expr: buildExpression(name, kind, labels),
        legendFormat: labels.map((label) => `{{${label}}}`).join(' ') || name,
      },
    ],
  }
}

/** Shows a counter as a rate, a duration as its slowest hundredth, and a gauge as the highest value of any process. */
function buildExpression(name: string, kind: MetricFacts['kind'], labels: readonly string[]): string {
  const by = labels.length === 0 ? '' : ` by (${labels.join(', ')})`
  if (kind === 'counter') return `sum${by} (rate(${name}[5m]))`
  if (kind === 'gauge') return `max${by} (${name})`
  const buckets = ['le', ...labels].join(', ')
  return `histogram_quantile(${SLOW_QUANTILE}, sum by (${buckets}) (rate(${name}_bucket[5m])))`
}
