-- For which due time the warning and the breach were last told: a due time that comes back is not told again.
alter table service_requests add column warned_for timestamptz, add column breached_for timestamptz;
update service_requests set warned_for = case when warned then due_at end, breached_for = case when breached then due_at end;
alter table service_requests drop column warned, drop column breached;

-- Words written before these letters were folded. The number of a request is no longer among its words.
update service_requests set words = replace(replace(replace(replace(
    translate(words, 'łđðøħıŧ', 'lddohit'), 'œ', 'oe'), 'æ', 'ae'), 'ß', 'ss'), 'þ', 'th')
where words ~ '[łđðøħıŧœæßþ]';
