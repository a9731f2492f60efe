import { DuckDBInstance } from '@duckdb/node-api';
import { checkAnalytics } from '/work/main/src/checks/analytics.ts';
import { duckdbColumns, requestColumns, interactionColumns } from '/work/main/src/history/columns.ts';
import { profileSchema } from '/work/main/src/target/profile.ts';
const N = Number(process.argv[2] ?? 2_500_000);
const instance = await DuckDBInstance.create(':memory:');
const c = await instance.connect();
await c.run("SET threads=2; SET memory_limit='2GiB'");
const cols = (l) => l.map((x) => `"${x.name}" ${x.type}`).join(', ');
await c.run(`CREATE TABLE requests (${cols(requestColumns)}); CREATE TABLE interactions (${cols(interactionColumns)});
CREATE TABLE answers (seq BIGINT, endpoint VARCHAR, query JSON, body JSON);`);
await c.run(`INSERT INTO requests BY NAME SELECT i AS seq, 'load' stage, 'p' phase, 'load' credential, 'create-session' endpoint, i*1000 AS sent_ns, i*1000+5000000 AS answered_ns, 200 AS status, uuid()::VARCHAR AS session_id, 'product '||(i%20) AS product_id FROM range(1, ${N}+1) t(i)`);
await c.run(`INSERT INTO requests BY NAME SELECT seq+${N} AS seq, 'load' stage, 'p' phase, 'session' credential, 'interact' endpoint, sent_ns+1000 AS sent_ns, answered_ns+1000 as answered_ns, if(random()<0.001, NULL, 202) AS status, if(random()<0.5,session_id,session_id) as session_id, 4 AS items FROM requests WHERE seq <= ${N}`);
await c.run(`INSERT INTO interactions BY NAME SELECT r.seq, r.session_id, uuid()::VARCHAR AS id, if(j=3,'cart_intent','shade_selected') AS type, 'sku'||(hash(r.seq+j)%800) AS sku, '2026-05-01T12:00:00Z' AS at FROM requests r, range(4) t(j) WHERE endpoint='interact'`);
const last = 2*N+10;
await c.run(`INSERT INTO requests BY NAME SELECT ${last}+i AS seq, 'settle' stage, 'analytics' phase, 'load' credential, 'analytics' endpoint, 1e15::BIGINT+i AS sent_ns, 1e15::BIGINT+i+10 AS answered_ns, 200 status FROM range(21) t(i)`);
await c.run(`INSERT INTO answers SELECT ${last}+i, 'analytics', to_json(if(i=0, {start_date:'2026-05-01',end_date:'2026-05-01'}::JSON, {start_date:'2026-05-01',end_date:'2026-05-01',product_id:'product '||(i-1)}::JSON)), '{"period":"2026-05-01 / 2026-05-01","total_sessions":1,"avg_shades_per_session":1,"cart_intent_rate":0.5,"top_shades":[]}'::JSON FROM range(21) t(i)`);
console.log('loaded', process.memoryUsage.rss() >> 20);
let total = 0;
const convert = (o) => { for (const k in o) if (typeof o[k] === 'bigint') o[k] = Number(o[k]); return o; };
const history = { run: { zero_epoch_ms: Date.UTC(2026,4,1,12), target: { kind: 'foreign' } }, profile: profileSchema.parse({}),
 rows: async (row, sql) => { const t=performance.now(); const r = await c.runAndReadAll(sql); const ms=performance.now()-t; total+=ms; if (ms>50) console.log(ms.toFixed(0), sql.trim().slice(0,80).replace(/\s+/g,' ')); return r.getRowObjectsJS().map((o)=>row.parse(convert(o))); },
 execute: async (sql) => { for (const s of sql.split(';\n')) { if (!s.trim()) continue; const t=performance.now(); await c.run(s); const ms=performance.now()-t; if (ms>50) console.log(ms.toFixed(0), s.trim().slice(0,90).replace(/\s+/g,' ')); } } };
const t = performance.now();
const cpu0 = process.cpuUsage(); const results = await checkAnalytics(history);
const cpu = process.cpuUsage(cpu0); console.log('cpu s', (cpu.user + cpu.system) / 1e6); console.log('check', (performance.now()-t).toFixed(0), 'ms', results.map((r) => `${r.id} ${r.verdict}`).join(', '));
console.log(JSON.stringify(results[1].expected).slice(0,200), process.memoryUsage.rss() >> 20);
