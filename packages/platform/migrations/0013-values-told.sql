-- When values of a layer were last uploaded: who shows the layer reads its values again when this moves.
alter table data_layers add column values_updated_at timestamptz;
update data_layers l set values_updated_at = (select max(updated_at) from layer_values v where v.layer_id = l.id);
