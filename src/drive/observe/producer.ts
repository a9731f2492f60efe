import { ValueType } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { DataPoint, Metric } from './metrics.ts';

type HrTime = [number, number];

/**
 * Hands a run's metrics to the readers of the OpenTelemetry SDK. Its instruments cost 2 µs a measurement, so the figures
 * are counted by the senders and only shown here.
 */
export class RunMetrics implements MetricProducer {
  readonly #read: () => readonly Metric[];
  readonly #scope: { readonly name: string; readonly version: string };
  readonly #startTime: HrTime;

  constructor(version: string, startMs: number, read: () => readonly Metric[]) {
    this.#scope = { name: 'tryon', version };
    this.#startTime = hrTime(startMs);
    this.#read = read;
  }

  collect(): Promise<CollectionResult> {
    const endTime = hrTime(Date.now());
    const metrics = this.#read()
      .filter(({ points }) => points.length > 0)
      .map((metric) => this.#data(metric, endTime));
    const resource = resourceFromAttributes({});
    return Promise.resolve({
      resourceMetrics: { resource, scopeMetrics: [{ scope: this.#scope, metrics }] },
      errors: [],
    });
  }

  #data(metric: Metric, endTime: HrTime): MetricData {
    const { description, name, unit } = metric;
    const common = {
      descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const dataPoint = <Value, Shown>(
      { attributes, value }: DataPoint<Value>,
      show: (value: Value) => Shown,
    ) => ({
      startTime: this.#startTime,
      endTime,
      attributes,
      value: show(value),
    });
    if (metric.kind === 'histogram')
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: metric.points.map((point) =>
          dataPoint(point, ({ bounds, count, counts, sum }) => ({
            buckets: { boundaries: [...bounds], counts: [...counts] },
            count,
            sum,
          })),
        ),
      };
    const dataPoints = metric.points.map((point) => dataPoint(point, (value) => value));
    return metric.kind === 'gauge'
      ? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
      : { ...common, dataPointType: DataPointType.SUM, isMonotonic: metric.kind === 'counter', dataPoints };
  }
}

function hrTime(epochMs: number): HrTime {
  return [Math.floor(epochMs / 1e3), Math.round((epochMs % 1e3) * 1e6)];
}

/** The metric as Prometheus names it: a unit that is a quantity ends the name. */
export function prometheusNamed(metric: Metric): Metric {
  return metric.unit === 's' ? { ...metric, name: `${metric.name}_seconds` } : metric;
}
