-- checksum eb6748fafc31c9f9e7a8ff4fc26ae9475e08d0285d0a9e7b5a55505c00b42b23, statements e1ce59c34cd95535
-- When values of the layer were last uploaded. Clients that show the layer read its values again when this changes.
alter table data_layers add column values_updated_at timestamptz;
update data_layers l set values_updated_at = (select max(updated_at) from layer_values v where v.layer_id = l.id);
