/** Stretches of the load. Their rates are compared without interactions, which come when shoppers act and not at a pace. */
const blocks = 64;
/** Shorter loads tell uptime from nothing. */
const shortestLoadMs = 60_000;

/** SQL: the block of a request, beside `span`. */
const blockNumber = `least(${blocks - 1}, floor((sent_ns - from_ns) * ${blocks} / span_ns))::INTEGER`;

/** SQL, after WITH: `blocked`, the requests of a long load with their `block`, and `busy`, the `load` of each block. */
export const loadBlocks = `span AS (
     SELECT min(sent_ns) AS from_ns, max(sent_ns) - min(sent_ns) AS span_ns FROM requests WHERE stage = 'load'),
   blocked AS NOT MATERIALIZED (
     SELECT *, ${blockNumber} AS block
     FROM requests, span WHERE stage = 'load' AND sent_ns IS NOT NULL AND span_ns >= ${shortestLoadMs * 1e6}),
   busy AS (SELECT block, count(*) AS load FROM blocked WHERE endpoint <> 'interact' GROUP BY block)`;

/** SQL, after `loadBlocks`: the load of the block in which another request was sent; null for a short load, or none. */
export const loadAround = `(SELECT load FROM busy, span WHERE block = ${blockNumber})`;
